import { render } from "preact";
import { App } from "./app.tsx";
import { createStore } from "./store.ts";

/* Program of the page. */

const place = document.getElementById("app");
if (place) render(<App store={createStore()} />, place);
