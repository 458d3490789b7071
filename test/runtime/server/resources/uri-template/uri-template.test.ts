import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  parseUriTemplate,
  type ExpandValue,
} from "../../../../../runtime/server/resources/uri-template/uri-template.ts";

/** The variables that section 3.2 of RFC 6570 defines for its examples. */
const rfc: { readonly [name: string]: ExpandValue } = {
  count: ["one", "two", "three"],
  dom: ["example", "com"],
  dub: "me/too",
  hello: "Hello World!",
  half: "50%",
  var: "value",
  who: "fred",
  base: "http://example.com/home/",
  path: "/foo/bar",
  list: ["red", "green", "blue"],
  keys: { semi: ";", dot: ".", comma: "," },
  v: "6",
  x: "1024",
  y: "768",
  empty: "",
  empty_keys: {},
  undef: null,
};

const examples: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "3.2.1 variable expansion",
    [
      ["{count}", "one,two,three"],
      ["{count*}", "one,two,three"],
      ["{/count}", "/one,two,three"],
      ["{/count*}", "/one/two/three"],
      ["{;count}", ";count=one,two,three"],
      ["{;count*}", ";count=one;count=two;count=three"],
      ["{?count}", "?count=one,two,three"],
      ["{?count*}", "?count=one&count=two&count=three"],
      ["{&count*}", "&count=one&count=two&count=three"],
    ],
  ],
  [
    "3.2.2 simple strings",
    [
      ["{var}", "value"],
      ["{hello}", "Hello%20World%21"],
      ["{half}", "50%25"],
      ["O{empty}X", "OX"],
      ["O{undef}X", "OX"],
      ["{x,y}", "1024,768"],
      ["{x,hello,y}", "1024,Hello%20World%21,768"],
      ["?{x,empty}", "?1024,"],
      ["?{x,undef}", "?1024"],
      ["?{undef,y}", "?768"],
      ["{var:3}", "val"],
      ["{var:30}", "value"],
      ["{list}", "red,green,blue"],
      ["{list*}", "red,green,blue"],
      ["{keys}", "semi,%3B,dot,.,comma,%2C"],
      ["{keys*}", "semi=%3B,dot=.,comma=%2C"],
    ],
  ],
  [
    "3.2.3 reserved",
    [
      ["{+var}", "value"],
      ["{+hello}", "Hello%20World!"],
      ["{+half}", "50%25"],
      ["{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"],
      ["{+base}index", "http://example.com/home/index"],
      ["O{+empty}X", "OX"],
      ["O{+undef}X", "OX"],
      ["{+path}/here", "/foo/bar/here"],
      ["here?ref={+path}", "here?ref=/foo/bar"],
      ["up{+path}{var}/here", "up/foo/barvalue/here"],
      ["{+x,hello,y}", "1024,Hello%20World!,768"],
      ["{+path,x}/here", "/foo/bar,1024/here"],
      ["{+path:6}/here", "/foo/b/here"],
      ["{+list}", "red,green,blue"],
      ["{+list*}", "red,green,blue"],
      ["{+keys}", "semi,;,dot,.,comma,,"],
      ["{+keys*}", "semi=;,dot=.,comma=,"],
    ],
  ],
  [
    "3.2.4 fragments",
    [
      ["{#var}", "#value"],
      ["{#hello}", "#Hello%20World!"],
      ["{#half}", "#50%25"],
      ["foo{#empty}", "foo#"],
      ["foo{#undef}", "foo"],
      ["{#x,hello,y}", "#1024,Hello%20World!,768"],
      ["{#path,x}/here", "#/foo/bar,1024/here"],
      ["{#path:6}/here", "#/foo/b/here"],
      ["{#list}", "#red,green,blue"],
      ["{#list*}", "#red,green,blue"],
      ["{#keys}", "#semi,;,dot,.,comma,,"],
      ["{#keys*}", "#semi=;,dot=.,comma=,"],
    ],
  ],
  [
    "3.2.5 labels",
    [
      ["{.who}", ".fred"],
      ["{.who,who}", ".fred.fred"],
      ["{.half,who}", ".50%25.fred"],
      ["www{.dom*}", "www.example.com"],
      ["X{.var}", "X.value"],
      ["X{.empty}", "X."],
      ["X{.undef}", "X"],
      ["X{.var:3}", "X.val"],
      ["X{.list}", "X.red,green,blue"],
      ["X{.list*}", "X.red.green.blue"],
      ["X{.keys}", "X.semi,%3B,dot,.,comma,%2C"],
      ["X{.keys*}", "X.semi=%3B.dot=..comma=%2C"],
      ["X{.empty_keys}", "X"],
      ["X{.empty_keys*}", "X"],
    ],
  ],
  [
    "3.2.6 path segments",
    [
      ["{/who}", "/fred"],
      ["{/who,who}", "/fred/fred"],
      ["{/half,who}", "/50%25/fred"],
      ["{/who,dub}", "/fred/me%2Ftoo"],
      ["{/var}", "/value"],
      ["{/var,empty}", "/value/"],
      ["{/var,undef}", "/value"],
      ["{/var,x}/here", "/value/1024/here"],
      ["{/var:1,var}", "/v/value"],
      ["{/list}", "/red,green,blue"],
      ["{/list*}", "/red/green/blue"],
      ["{/list*,path:4}", "/red/green/blue/%2Ffoo"],
      ["{/keys}", "/semi,%3B,dot,.,comma,%2C"],
      ["{/keys*}", "/semi=%3B/dot=./comma=%2C"],
    ],
  ],
  [
    "3.2.7 path parameters",
    [
      ["{;who}", ";who=fred"],
      ["{;half}", ";half=50%25"],
      ["{;empty}", ";empty"],
      ["{;v,empty,who}", ";v=6;empty;who=fred"],
      ["{;v,bar,who}", ";v=6;who=fred"],
      ["{;x,y}", ";x=1024;y=768"],
      ["{;x,y,empty}", ";x=1024;y=768;empty"],
      ["{;x,y,undef}", ";x=1024;y=768"],
      ["{;hello:5}", ";hello=Hello"],
      ["{;list}", ";list=red,green,blue"],
      ["{;list*}", ";list=red;list=green;list=blue"],
      ["{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"],
      ["{;keys*}", ";semi=%3B;dot=.;comma=%2C"],
    ],
  ],
  [
    "3.2.8 queries",
    [
      ["{?who}", "?who=fred"],
      ["{?half}", "?half=50%25"],
      ["{?x,y}", "?x=1024&y=768"],
      ["{?x,y,empty}", "?x=1024&y=768&empty="],
      ["{?x,y,undef}", "?x=1024&y=768"],
      ["{?var:3}", "?var=val"],
      ["{?list}", "?list=red,green,blue"],
      ["{?list*}", "?list=red&list=green&list=blue"],
      ["{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"],
      ["{?keys*}", "?semi=%3B&dot=.&comma=%2C"],
    ],
  ],
  [
    "3.2.9 query continuations",
    [
      ["{&who}", "&who=fred"],
      ["{&half}", "&half=50%25"],
      ["?fixed=yes{&x}", "?fixed=yes&x=1024"],
      ["{&x,y,empty}", "&x=1024&y=768&empty="],
      ["{&var:3}", "&var=val"],
      ["{&list}", "&list=red,green,blue"],
      ["{&list*}", "&list=red&list=green&list=blue"],
      ["{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"],
      ["{&keys*}", "&semi=%3B&dot=.&comma=%2C"],
    ],
  ],
];

describe.each(examples)("RFC 6570 section %s", (_section, rows) => {
  test.each(rows)("the template %s expands to %s", (template, expected) => {
    expect(parseUriTemplate(template).expand(rfc)).toBe(expected);
  });
});

describe("expanding", () => {
  test.each([
    ["letters beyond ASCII become UTF-8 triplets", "{name}", { name: "\u1f00 €" }, "%E1%BC%80%20%E2%82%AC"],
    ["prefix lengths count characters, not code units", "{name:2}", { name: "😀😀😀" }, "%F0%9F%98%80%F0%9F%98%80"],
    ["a lone surrogate becomes the replacement character", "{name}", { name: "a\ud800" }, "a%EF%BF%BD"],
    ["triplets survive in reserved values", "{+name}", { name: "a%20b%" }, "a%20b%25"],
    ["inherited names are not values", "x{toString}", {}, "x"],
    ["numbers and booleans are written as text", "{?n,b}", { n: 0, b: false }, "?n=0&b=false"],
    ["empty lists vanish", "x{?list,n}", { list: [], n: 1 }, "x?n=1"],
  ])("expanding gives %s", (_name, template, values, expected) => {
    expect(parseUriTemplate(template).expand(values)).toBe(expected);
  });

  test("a prefix length cannot apply to a list", () => {
    expect(() => parseUriTemplate("{list:3}").expand({ list: ["a"] })).toThrow(/prefix length/);
  });
});

describe("parsing", () => {
  test.each([
    ["{unclosed", /character 1: the brace is not closed/],
    ["a}b", /character 2/],
    ["{}", /requires a variable name/],
    ["{+}", /requires a variable name/],
    ["{=a}", /"=a" is not a variable/],
    ["{a:0}", /is not a variable/],
    ["{a:10000}", /is not a variable/],
    ["{a*:3}", /is not a variable/],
    ["{a b}", /is not a variable/],
    ["{a,,b}", /"" is not a variable/],
    ["a b", /must be percent-encoded/],
    ["50%", /must be percent-encoded/],
    ["{a{b}}", /is not a variable/],
  ])("parsing rejects %s with the position of the mistake", (template, message) => {
    expect(() => parseUriTemplate(template)).toThrow(message);
  });

  test("parsing lists variables once, in order", () => {
    expect(parseUriTemplate("{b}/{a}{?b,c}").variables).toEqual(["b", "a", "c"]);
  });
});

describe("matching", () => {
  test.each<readonly [string, string, Record<string, unknown> | undefined]>([
    ["greeting://{name}", "greeting://Ada", { name: "Ada" }],
    ["greeting://{name}", "greeting://Ada%20L%C3%B6we", { name: "Ada Löwe" }],
    ["greeting://{name}", "greeting://Löwe", { name: "Löwe" }],
    ["s://é/{name}", "s://é/Ada", { name: "Ada" }],
    ["s://é/{name}", "s://%C3%A9/Ada", { name: "Ada" }],
    ["s://%C3%A9/{name}", "s://é/Ada", { name: "Ada" }],
    ["s://é/{name}", "s://%c3%a9/Ada", { name: "Ada" }],
    ["s://%c3%a9/{name}", "s://%C3%A9/Ada", { name: "Ada" }],
    ["s://q{?%c3%a9}", "s://q?%c3%a9=1", { "%c3%a9": "1" }],
    ["s://{id:3}", "s://abc", { id: "abc" }],
    ["s://{id:3}", "s://abcd", undefined],
    ["s://{id:3}{rest}", "s://abcdef", { id: "abc", rest: "def" }],
    ["s://{year:4}-{name}", "s://2024-q1-final", { year: "2024", name: "q1-final" }],
    ["s://{year:4}-{name}", "s://20245-q1", undefined],
    ["s://{id:2}{rest}", "s://%C3%A4%F0%9F%98%80b", { id: "\u00e4\u{1f600}", rest: "b" }],
    ["s://x{.id:2}{rest}", "s://x.abc", { id: "ab", rest: "c" }],
    ["s://{id:2}", "s://%F0%9F%98%80%F0%9F%98%80", { id: "😀😀" }],
    ["s://q{?a:2}", "s://q?a=123", undefined],
    ["greeting://{name}", "greeting://", undefined],
    ["greeting://{name}", "greeting://a/b", undefined],
    ["greeting://{name}", "greeting://a?b", undefined],
    ["greeting://{name}", "greeting://a%2Fb", { name: "a/b" }],
    ["greeting://{name}", "greeting://%zz", undefined],
    ["greeting://{name}", "greeting://%ff", undefined],
    ["greeting://{name}", "greeting://a b", undefined],
    ["mail://{address}", "mail://ada@example.org", { address: "ada@example.org" }],
    ["static://x", "static://x", {}],
    ["static://x", "static://xy", undefined],
    ["db://{table}/{id}/rows", "db://t/7/rows", { table: "t", id: "7" }],
    ["db://{table}/{id}", "db://t/7/8", undefined],
    ["file:///{+path}", "file:///a/b/c.txt", { path: "a/b/c.txt" }],
    ["file:///{+path}/{name}", "file:///a/b/c.txt", { path: "a/b", name: "c.txt" }],
    ["{name}.{ext}", "a.tar.gz", { name: "a.tar", ext: "gz" }],
    ["{x},{y}", "1,2", { x: "1", y: "2" }],
    ["{x,y}", "1,2", { x: "1", y: "2" }],
    ["{x,y}", "1", undefined],
    ["{x,y}", "1,2,3", undefined],
    ["{list*}", "red,green%2C,blue", { list: ["red", "green,", "blue"] }],
    ["{id}/{id}", "7/7", { id: "7" }],
    ["{id}/{id}", "7/8", undefined],
    ["a{/path*}", "a/b/c", { path: ["b", "c"] }],
    ["a{/path*}", "a", { path: undefined }],
    ["a{/b,c}", "a/1", { b: "1", c: undefined }],
    ["a{/b,c}/z", "a/1/2/z", { b: "1", c: "2" }],
    ["a{.ext}", "a.tar.gz", { ext: "tar.gz" }],
    ["a{;x,y}", "a;y=2;x", { x: "", y: "2" }],
    ["a{#part}", "a#b/c", { part: "b/c" }],
    ["a{#part}", "a", { part: undefined }],
    ["s://q{?a,b}", "s://q", { a: undefined, b: undefined }],
    ["s://q{?a,b}", "s://q?b=2&a=1", { a: "1", b: "2" }],
    ["s://q{?a,b}", "s://q?a=x%26y", { a: "x&y", b: undefined }],
    ["s://q{?a}", "s://q?a=1&a=2", undefined],
    ["s://q{?a}", "s://q?other=1", undefined],
    ["s://{+rest}{?q}", "s://a/b?q=1", { rest: "a/b", q: "1" }],
    ["s://{+rest}{?q}", "s://a/b", { rest: "a/b", q: undefined }],
    ["s://{+rest}{?q}", "s://a/b?other=1", { rest: "a/b?other=1", q: undefined }],
    ["s://{+rest}?q={q}", "s://a?b?q=1", { rest: "a?b", q: "1" }],
    ["s://q{?a*}", "s://q?a=1&a=2", { a: ["1", "2"] }],
    ["s://q?fixed=yes{&a}", "s://q?fixed=yes&a=1", { a: "1" }],
    ["s://q?a={a}&b={b}", "s://q?a=1&b=2", { a: "1", b: "2" }],
    ["s://q?a={a}&b={b}", "s://q?a=1&b=2&b=3", undefined],
    ["s://{__proto__}", "s://x", { ["__proto__"]: "x" }],
  ])("matching %s against %s", (template, uri, expected) => {
    const found = parseUriTemplate(template).match(uri);
    expect(found && [...found]).toEqual(expected && Object.entries(expected));
  });

  const strings: { readonly [name: string]: string } = { a: "x/y", b: "50%", c: "ü,&=?", d: "." };
  test.each([
    "s://{a}",
    "s://{a}/{b}",
    "s://{a}{/b,c}",
    "s://{a}{?b,c,d}",
    "s://{a}{;b,c,d}",
    "s://{a,b,c}",
    "s://ü/{a}",
  ])("matching %s gives back the values that it was expanded with", (text) => {
    const template = parseUriTemplate(text);
    const found = template.match(template.expand(strings));
    expect([...(found ?? [])]).toEqual(template.variables.map((name) => [name, strings[name]]));
  });

  test.each([
    ["exploded variables", "{/a*}{/b*}{/c*}{/d*}!", "/" + "a/".repeat(4_000)],
    ["reserved variables", "{+a}{+b}{+c}{+d}!", "a".repeat(8_000)],
    ["lists", "{a*},{b*},{c*}!", ",".repeat(8_000)],
    ["queries", "{?a*}{&b*}!", "?" + "a&".repeat(4_000)],
  ])("matching hostile input takes linear time with %s (CVE-2026-0621)", (_name, template, uri) => {
    // With backtracking it would take years: the test would not end.
    expect(parseUriTemplate(template).match(uri)).toBeUndefined();
  });

  test("matching marks no position of a URI without the literals of the template", () => {
    let marks = 0;
    const construct = (target: Uint8ArrayConstructor, [length]: [number]): Uint8Array => {
      marks += 1;
      return new target(length);
    };
    vi.stubGlobal("Uint8Array", new Proxy(Uint8Array, { construct }));
    onTestFinished(() => void vi.unstubAllGlobals());
    const template = parseUriTemplate("s://{+a}/end/{b}");
    expect(template.match(`s://${"a/".repeat(4_000)}`)).toBeUndefined();
    expect(template.match("s://a/end")).toBeUndefined();
    expect(marks).toBe(0);
    expect(template.match("s://a/end/b")).toBeDefined();
    expect(marks).toBeGreaterThan(0);
  });

  test("matching rejects URIs beyond 8 KiB", () => {
    expect(parseUriTemplate("{+a}").match("a".repeat(8_192))).toBeDefined();
    expect(parseUriTemplate("{+a}").match("a".repeat(8_193))).toBeUndefined();
    expect(parseUriTemplate("{+a}").match("ü".repeat(8_192))).toBeUndefined();
  });
});
