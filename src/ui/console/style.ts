/** The additional style of the console: wider, with tables on a large screen and cards on a phone. */
export const CONSOLE_STYLE_PATH = "/assets/console.css";

export const CONSOLE_STYLE = `
:root { --working: #2f6fb5; --asking: #b86e00; --handed: #7b5cc4; --finished: #2c8a4b; --ended: #8a939c; }
@media (prefers-color-scheme: dark) {
  :root { --working: #6aa9ea; --asking: #e5a13b; --handed: #b39ae8; --finished: #5bc47c; --ended: #6e7781; }
}
.console header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; justify-content: space-between;
  padding: .5rem max(1rem, (100% - 74rem) / 2); border-bottom: 1px solid var(--line); background: var(--card); }
.console .home { font-weight: 700; color: inherit; text-decoration: none; padding: .5rem 0; }
.console .home span { color: var(--dim); font-weight: 400; }
.who { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; margin: 0; font-size: .9rem; }
.who button { min-height: 2.25rem; padding: .25rem .75rem; font-size: .9rem; }
.console main { max-width: 76rem; padding-top: .5rem; }
.console h1 { margin-top: 0; }
.console .languages { max-width: 76rem; }
.console .card > h2, figure h2 { font-size: 1.05rem; margin: 0; }
.console h3 { font-size: .95rem; margin: .75rem 0 .25rem; }
.narrow { max-width: 38rem; margin: 0 auto; }
.console .notice { margin: .25rem 0; min-height: 1.25rem; }
a.chip { text-decoration: none; }
a.chip[aria-current] { color: var(--on-primary); background: var(--primary); border-color: var(--primary); }
/* A name that is none, as "a person", begins some sentences. */
.sentence::first-letter, #why li::first-letter { text-transform: uppercase; }
.long { color: var(--bad); font-weight: 600; }
.meta .long { font-size: inherit; }
.pictures { display: grid; gap: 1rem; margin: 1rem 0; }
figure { margin: 0; min-width: 0; }
.console figure.card { margin: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: baseline;
  margin-bottom: .5rem; }
.spans { display: flex; gap: .75rem; font-size: .9rem; }
.spans [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
/* Time runs from left to right in every language, and its labels keep to their side. */
.chart { display: block; overflow: visible; direction: ltr; }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .axis { fill: var(--dim); font: .72rem system-ui, sans-serif; }
.working { fill: var(--working); } .asking { fill: var(--asking); } .handedIn { fill: var(--handed); }
.finished { fill: var(--finished); } .ended { fill: var(--ended); }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0; margin: .5rem 0 0; font-size: .85rem; }
.legend svg { vertical-align: -1px; margin-inline-end: .35rem; }
.lanes { display: grid; grid-template-columns: max-content 1fr; gap: 0 .75rem; align-items: center; font-size: .9rem; }
.chart .range { stroke: var(--dim); stroke-width: 2; stroke-linecap: round; }
.chart .dot { fill: var(--primary); stroke: var(--card); stroke-width: 1.5; }
.chart .dot.long { fill: var(--bad); }
.longest { margin: 0; padding-inline-start: 1.25rem; font-size: .95rem; }
.longest li { margin: .15rem 0; }
.filters { margin: 1rem 0; }
.find { display: flex; gap: .75rem; align-items: flex-end; }
.find > div { flex: 1; min-width: 0; }
.filters details { border: 0; padding: 0; }
.filters .grid { display: grid; gap: .75rem 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); }
.filters .states { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0 1rem; }
.filters .option { padding: .3rem 0; }
.pages { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin: 1rem 0; }
.rows { width: 100%; border-collapse: collapse; font-size: .95rem; }
.rows th, .rows td { text-align: start; vertical-align: top; padding: .6rem .75rem .6rem 0; border-bottom: 1px solid var(--line); }
.rows thead th { color: var(--dim); font-size: .85rem; font-weight: 600; }
.rows tbody th { font-weight: 600; min-width: 14rem; }
.rows .chip, .items .chip { font-size: .8rem; padding: .05rem .6rem; white-space: nowrap; }
.rows time { white-space: nowrap; }
.tags { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin-top: .15rem; font-weight: 400; font-size: .85rem; }
.tag { color: var(--dim); }
code { font: .85em ui-monospace, monospace; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .9rem; }
.facts dt { color: var(--dim); font-weight: 400; margin: 0; }
.columns { display: grid; gap: 0 1.5rem; }
.columns > div { min-width: 0; }
.acts { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 1rem 0; }
.acts .button { padding: .45rem .9rem; }
.button.primary { color: var(--on-primary); background: var(--primary); border-color: var(--primary); }
.button.bad { color: var(--bad); }
button.primary.bad { color: var(--paper); background: var(--bad); border-color: var(--bad); }
.items { list-style: none; padding: 0; margin: .5rem 0 0; }
.items li { padding: .5rem 0; border-top: 1px solid var(--line); }
.items li:first-child { border-top: 0; }
.items .meta, .items li > span[dir] { display: block; }
.strip { display: grid; grid-template-columns: max-content 1fr; gap: 0 .75rem; margin: .5rem 0 1rem; }
.strip-names { font-size: .8rem; color: var(--dim); max-width: 11rem; }
.strip-names span { display: block; height: 26px; line-height: 26px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.event { fill: var(--ended); } .event.filled { fill: var(--working); } .event.passed { fill: var(--asking); }
.event.stopped { fill: var(--bad); } .event.job { fill: var(--handed); }
.graph { list-style: none; padding: 0; margin: .5rem 0 0; }
.graph li { display: flex; gap: .5rem; align-items: center; min-height: 48px; }
.graph li.beside { min-height: 36px; }
.graph svg { flex: none; }
.edge { stroke: var(--line); stroke-width: 2; }
.node { fill: var(--card); stroke: var(--dim); stroke-width: 2; }
.node.here { fill: var(--primary); stroke: var(--primary); }
.code { font: .85rem/1.5 ui-monospace, monospace; }
.console .actions a.button { text-align: center; }
@media (max-width: 47.99rem) {
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows, .rows tbody, .rows tr, .rows th, .rows td { display: block; }
  .rows tr { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .75rem; margin: .75rem 0; }
  .rows tbody th { min-width: 0; padding: .25rem 0; border: 0; }
  .rows td { padding: .15rem 0; border: 0; display: flex; gap: .75rem; justify-content: space-between; }
  .rows td::before { content: attr(data-label); color: var(--dim); font-size: .85rem; }
  .rows time { white-space: normal; text-align: end; }
  .strip { grid-template-columns: 6rem minmax(0, 1fr); }
}
@media (min-width: 60rem) {
  .pictures { grid-template-columns: 1fr 1fr; }
  .columns { grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); }
}
`;
