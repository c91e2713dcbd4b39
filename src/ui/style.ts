/** The style of the pages: phone first, light and dark, system fonts, nothing loaded from other sites. */
export const STYLE_PATH = "/assets/page.css";

export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --paper: #ffffff; --card: #f6f8fa;
  --line: #c3cad2; --link: #0550ae; --primary: #0b5cad; --on-primary: #ffffff; --bad: #a40e26;
  --bad-paper: #fff1f1; --warn: #7a4b00; --warn-paper: #fff8e5; --good: #116329; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --dim: #a5b0bb; --paper: #0d1117; --card: #161b22; --line: #3d444d;
    --link: #79c0ff; --primary: #79c0ff; --on-primary: #06121f; --bad: #ff9d97; --bad-paper: #2c1214;
    --warn: #f0c062; --warn-paper: #2a2006; --good: #6cd485; }
}
* { box-sizing: border-box; }
/* The notice that sticks to the top must not cover what one jumps to. */
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 6rem; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1.0625rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
main { max-width: 42rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 .75rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; }
a { color: var(--link); }
p { margin: .5rem 0; }
blockquote { margin: 1rem 0; padding: .75rem 1rem; background: var(--card); border-inline-start: 4px solid var(--primary);
  border-radius: .25rem; }
blockquote p { margin: .25rem 0 0; white-space: pre-wrap; }
.chips { display: flex; flex-wrap: wrap; gap: .5rem; }
.chip { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .75rem; font-size: .9rem; color: var(--dim); }
.chip.submitted, .chip.approved, .chip.finalized { color: var(--good); border-color: currentColor; }
.chip.rejected, .chip.cancelled, .chip.expired { color: var(--bad); border-color: currentColor; }
.chip.awaiting_input, .chip.awaiting_upload, .chip.needs_review { color: var(--warn); border-color: currentColor; }
progress { width: 100%; height: .6rem; accent-color: var(--primary); }
.notice { color: var(--good); font-weight: 600; }
#live:not(:only-child) { min-height: 1.5rem; }
.notice.bad { color: var(--bad); }
/* Neither done nor wrong. */
.notice.pending { color: var(--dim); }
.js #live { font-size: .95rem; line-height: 1.4; }
.js #live:not(:empty) { position: sticky; top: 0; z-index: 1; background: var(--paper); padding: .5rem 0;
  border-bottom: 1px solid var(--line); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0; }
.card > :first-child, .card > input[type="hidden"] + * { margin-top: 0; }
.problems { background: var(--bad-paper); color: var(--bad); border: 1px solid currentColor; border-radius: .5rem;
  padding: .75rem 1rem; margin: 1rem 0; }
.problems h2 { font-size: 1rem; margin: 0; }
.problems a { color: inherit; }
.field { margin: 1.25rem 0; }
.control { margin: .75rem 0; }
label, legend { display: block; font-weight: 600; margin-bottom: .25rem; }
/* Inside its frame: a long one in the border line cannot be read on a phone. */
legend { float: inline-start; width: 100%; padding: .5rem 0 0; }
legend + * { clear: both; }
input, textarea, select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--dim); border-radius: .375rem; }
input[type="hidden"] { display: none; }
textarea { resize: vertical; }
fieldset { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; margin: 0; min-width: 0; }
.control.wrong > input, .control.wrong > .unit > input, .control.wrong > textarea, .control.wrong > select {
  border-color: var(--bad); border-width: 2px; }
.help, .meta { color: var(--dim); font-size: .9rem; font-weight: 400; margin: .25rem 0; }
.required { color: var(--dim); font-weight: 400; font-size: .9rem; }
.unsure { color: var(--warn); }
.error { color: var(--bad); font-weight: 600; margin: .25rem 0; }
.comment { background: var(--warn-paper); color: var(--warn); border-radius: .375rem; padding: .5rem .75rem; white-space: pre-wrap; }
.conflict { margin-top: .5rem; border-color: var(--warn); background: var(--warn-paper); }
.conflict label { font-weight: 400; padding: .4rem 0; }
button, .button { display: inline-block; min-height: 2.75rem; padding: .5rem 1.25rem; font: inherit; font-weight: 600;
  color: var(--link); background: var(--paper); border: 1px solid currentColor; border-radius: .375rem; cursor: pointer;
  text-decoration: none; }
button.primary { color: var(--on-primary); background: var(--primary); border-color: var(--primary); }
/* A word is broken only where it is wider than the screen. */
button, .button { overflow-wrap: break-word; max-width: 100%; }
button:disabled { opacity: .6; cursor: default; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; }
.actions button { flex: 1 1 auto; }
.actions button.primary { flex: 2 1 11rem; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; padding: .6rem 0; font-weight: 600; color: var(--link); }
:focus-visible { outline: 3px solid var(--primary); outline-offset: 2px; }
dl { margin: 0; }
.inner { margin: .25rem 0; padding-inline-start: .75rem; border-inline-start: 3px solid var(--line); }
ol.inner { padding-inline-start: 1.75rem; }
li > .inner { border: 0; padding: 0; margin: 0; }
.inner dt { font-weight: 400; color: var(--dim); font-size: .9rem; margin-top: .25rem; }
dt { font-weight: 600; margin-top: .75rem; }
dd { margin: 0; }
[dir="rtl"] [dir="auto"]:not(input, textarea) { text-align: right; }
.facts { width: 100%; border-collapse: collapse; }
.facts :is(th, td) { text-align: start; vertical-align: top; padding-block: .4rem; padding-inline: 0 .75rem;
  border-bottom: 1px solid var(--line); }
.file { display: flex; gap: .75rem; align-items: center; justify-content: space-between; }
.file button { flex: none; }
.value { white-space: pre-wrap; }
.timeline { list-style: none; padding: 0; margin: 0; border-inline-start: 2px solid var(--line); }
.timeline li { padding: .4rem 0 .4rem 1rem; display: flex; flex-direction: column; }
.timeline time { color: var(--dim); font-size: .85rem; }
.timeline li.new { border-inline-start: 4px solid var(--primary); margin-inline-start: -3px; }
.visually-hidden { position: absolute; width: 1px; height: 1px; min-height: 0; padding: 0; margin: -1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; border: 0; }
[hidden] { display: none !important; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; overflow-x: auto;
  font: .85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
.qr { width: 12rem; height: 12rem; background: #fff; border-radius: .5rem; padding: .5rem; }
.lead, .question { font-size: 1.15rem; }
.label { font-weight: 600; margin: .25rem 0; }
.option { display: flex; gap: .6rem; align-items: flex-start; font-weight: 400; padding: .6rem 0; margin: 0; cursor: pointer; }
.option input { flex: none; width: 1.25rem; height: 1.25rem; min-height: 0; margin: .1rem 0 0; accent-color: var(--primary); }
.option span { min-width: 0; overflow-wrap: anywhere; }
.required { border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; font-size: .75rem;
  display: inline-block; }
.row { border-inline-start: 3px solid var(--line); padding-inline-start: .75rem; margin: .75rem 0; clear: both; }
.row > fieldset { border: 0; padding: 0; }
.row > .tools > [data-up], .row > .tools > [data-down] { display: none; }
.row + .row > .tools > [data-up], .row:has(+ .row) > .tools > [data-down] { display: inline-block; }
.tools { display: flex; gap: .5rem; justify-content: flex-end; margin: .25rem 0; }
.tools button, .file button { min-width: 2.75rem; padding: .25rem .5rem; }
.unit { display: flex; gap: .5rem; align-items: center; }
.unit > span { white-space: nowrap; }
.when { border-inline-start: 3px solid var(--line); padding-inline-start: .75rem; }
.if { color: var(--dim); font-size: .9rem; margin: .5rem 0 0; }
.js .if { display: none; }
input[type="color"] { padding: .25rem; max-width: 6rem; }
fieldset.wrong { border-color: var(--bad); border-width: 2px; }
dd, dt, h1, blockquote, .value, .problems li { overflow-wrap: anywhere; }
.section { margin: 2rem 0; }
[data-section]:first-of-type, [data-section]:first-of-type > h2 { margin-top: 0; }
.section > h2 { border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
.steps { align-items: center; }
.steps span { color: var(--dim); flex: 1 0 100%; }
.languages { display: flex; flex-wrap: wrap; gap: .25rem 1rem; max-width: 42rem; margin: 0 auto; padding: 1rem; font-size: .9rem; }
.languages > * { padding: .7rem 0; min-width: 2.75rem; }
.languages [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
@media print {
  .actions, .languages, details, form, .chips, [data-print] { display: none !important; }
}
/* A table of a narrow screen: each row below the other, each cell with its head. */
@media (max-width: 47.99rem) {
  .facts, .facts :is(tbody, tr, th, td) { display: block; }
  .facts tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .facts :is(th, td) { padding: 0; border: 0; }
  .facts :is(.heads, td:empty) { display: none; }
  .facts [data-label]::before { content: attr(data-label) ": "; color: var(--dim); }
}
@media (min-width: 48rem) {
  main { padding-top: 2rem; }
  .timeline li { flex-direction: row; gap: 1rem; }
  .timeline time { flex: 0 0 10.5rem; }
  .actions button, .actions button.primary { flex: 0 1 auto; }
}
/* What is shown stands beside what is asked where there is room. */
@media (min-width: 70rem) {
  main:has(> .beside) { max-width: 66rem; display: grid; grid-template-columns: minmax(0, 42rem) minmax(0, 1fr);
    column-gap: 2rem; align-items: start; }
  main:has(> .beside) > * { grid-column: 1; }
  main > .beside { grid-column: 2; grid-row: 1 / span 9; position: sticky; top: 2rem; }
  main:has(> .beside) + .languages { max-width: 66rem; }
}
@media (prefers-reduced-motion: no-preference) { .timeline li.new { transition: border-color 1s; } }
`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="4" y="13" width="24" height="6" rx="3" transform="rotate(-35 16 16)" fill="#0b5cad"/></svg>`;
