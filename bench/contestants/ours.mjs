// This project: the generated checks, the runtime and the generator, from ../dist (run `npm run build` there first).
import { readFileSync } from 'node:fs';
const dist = file => new URL(`../../dist/${file}`, import.meta.url);
const root = file => new URL(`../../${file}`, import.meta.url);

async function validators(rev) {
  const checks = await import(dist(`generated/${rev}/validate.js`));
  const { checkRequestId } = checks;
  return e => {
    const check = checks[`check${e.type}`];
    if (e.kind !== 'result') return m => check(m) === undefined;
    return m => typeof m === 'object' && m !== null && m.jsonrpc === '2.0' && checkRequestId(m.id) === undefined && check(m.result) === undefined;
  };
}

export default {
  id: 'ours', order: 10, label: 'create-mcp-server', packages: [],
  validators,

  async codec(rev) {
    const make = await validators(rev);
    return e => {
      const isValid = make(e);
      return {
        decode(buffer) { const m = JSON.parse(buffer.toString('utf8')); if (!isValid(m)) throw new Error('invalid'); return m; },
        encode: m => Buffer.from(JSON.stringify(m) + '\n'),
      };
    };
  },

  async generator({ revisions, ts: file }) {
    const t0 = performance.now();
    const { readRevision } = await import(dist('generator/read/revision.js'));
    const { emitRevision, revisionTemplates } = await import(dist('generator/emit/revision-files.js'));
    const { loadTemplates } = await import(dist('generator/emit/templates.js'));
    const importMs = performance.now() - t0;
    const t = performance.now();
    const templates = await loadTemplates(new URL('.', root('templates/header.hbs')).pathname, revisionTemplates);
    let files = 0, kb = 0;
    for (const id of revisions) {
      const overlay = root(`spec/${id === 'draft' ? '2026-07-28' : id}/overlay.json`);
      const model = readRevision({
        id, status: 'released',
        schema: { path: `${id}/schema.ts`, text: readFileSync(file(id), 'utf8') },
        overlay: { path: `${id}/overlay.json`, value: JSON.parse(readFileSync(overlay, 'utf8')) },
      });
      for (const text of emitRevision(model, templates, '0.0.0').values()) { files++; kb += text.length / 1024; }
    }
    return { importMs, workMs: performance.now() - t, made: `${files} files, ${Math.round(kb)} kB, unformatted` };
  },
};
