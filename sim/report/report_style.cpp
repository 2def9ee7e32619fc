#include "sim/report/report_style.h"

namespace rackwright::report {

const std::string_view report_style = R"(:root {
  --paper: #fdfdfc; --ink: #17191c; --muted: #5b626a; --rule: #e2e4e7; --tint: #f4f5f6; --accent: #0b5c97;
  --good: #0a6b4b; --bad: #a3260f; --limit: #a3260f;
  --series-0: #0072b2; --series-1: #d55e00; --series-2: #009e73; --series-3: #b65a93; --series-4: #3d9bd3; --series-5: #c98a00; --series-6: #5b626a;
  --p0: #08519c; --p1: #4292c6; --p2: #7fb5d5; --p3: #e6a04c; --p4: #c4511a;
  --b0: #0072b2; --b1: #009e73; --b2: #d55e00; --b3: #8a9199; --b4: #cc79a7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e9ebed; --muted: #9aa3ad; --rule: #2b3036; --tint: #1b1f23; --accent: #6cb6ec;
    --good: #5fcfa5; --bad: #ff8d75; --limit: #ff8d75;
    --series-0: #4aa8e0; --series-1: #ff8b4a; --series-2: #35c79c; --series-3: #e29ac6; --series-4: #8fd0f5; --series-5: #f2bd4d; --series-6: #9aa3ad;
    --p0: #9ecae9; --p1: #5fa8d9; --p2: #3f7fae; --p3: #d9963f; --p4: #e0703a;
    --b0: #4aa8e0; --b1: #35c79c; --b2: #ff8b4a; --b3: #8a9199; --b4: #e29ac6;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 Inter, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 74rem; margin: 0 auto; padding: 3.5rem clamp(1.25rem, 4vw, 3rem) 5rem; }
.masthead { border-bottom: 2px solid var(--ink); padding-bottom: 1.75rem; }
.kicker { margin: 0; color: var(--accent); font-size: .8125rem; font-weight: 600; letter-spacing: .09em; text-transform: uppercase; }
h1 { margin: .35rem 0 .75rem; font-size: clamp(2rem, 5vw, 3.25rem); line-height: 1.08; letter-spacing: -.022em; font-weight: 650; text-wrap: balance; }
.lede { margin: 0; max-width: 48rem; font-size: 1.25rem; line-height: 1.4; color: var(--muted); }
.question { margin: 0 0 .9rem; max-width: 52rem; font-size: 1.25rem; line-height: 1.4; text-wrap: pretty; }
.question + .lede { font-size: 1.0625rem; }
.notice { margin: 1.25rem 0 0; padding: .7rem 1rem; border-left: 4px solid var(--bad); background: var(--tint); }
section { margin-top: 3.25rem; }
h2 { margin: 0 0 1.1rem; font-size: 1.375rem; letter-spacing: -.01em; font-weight: 650; }
h3 { margin: 0 0 .4rem; font-size: 1rem; font-weight: 650; }
.conclusion { margin-top: 2rem; display: grid; gap: 2.5rem; grid-template-columns: minmax(0, 2fr) minmax(17rem, 1fr); }
.tiles { margin: 0; display: grid; gap: 1.5rem 2rem; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); align-content: start; }
.tile dt { color: var(--muted); font-size: .875rem; }
.tile dd { margin: 0; }
.number { display: block; font-size: 2.125rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 600; white-space: nowrap; }
.note { display: block; color: var(--muted); font-size: .875rem; }
.met .note { color: var(--good); font-weight: 550; }
.missed .note, .missed .number { color: var(--bad); }
.missed .note { font-weight: 550; }
.findings { margin: 2rem 0 0; padding: 1rem 0 0; border-top: 1px solid var(--rule); list-style: none; display: grid; gap: .55rem; max-width: 44rem; }
.evidence { padding: 1.25rem 1.4rem; background: var(--tint); border-radius: 6px; align-self: start; }
.evidence p { margin: 0 0 .9rem; color: var(--muted); font-size: .875rem; }
.bar { display: flex; height: .875rem; gap: 2px; border-radius: 3px; overflow: hidden; }
.bar span { min-width: 2px; }
.p0 { background: var(--p0); } .p1 { background: var(--p1); } .p2 { background: var(--p2); } .p3 { background: var(--p3); } .p4 { background: var(--p4); }
.b0 { background: var(--b0); } .b1 { background: var(--b1); } .b2 { background: var(--b2); } .b3 { background: var(--b3); } .b4 { background: var(--b4); }
.shares { list-style: none; margin: .9rem 0 0; padding: 0; display: grid; gap: .45rem; font-size: .9375rem; }
.shares li { display: grid; grid-template-columns: 1rem 4.6rem 1fr; align-items: baseline; }
.shares i { width: .65rem; height: .65rem; border-radius: 2px; }
.shares small { grid-column: 3; color: var(--muted); font-size: .8125rem; line-height: 1.3; }
.bound { max-width: 34rem; margin-top: 1.75rem; }
.warnings { margin: 0; padding: 0; list-style: none; }
.warnings li { padding: .55rem .9rem; border-left: 4px solid var(--series-5); background: var(--tint); margin-bottom: .4rem; font-size: .9375rem; overflow-wrap: anywhere; }
.figures { display: grid; gap: 2rem 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
figure { margin: 0; min-width: 0; border-top: 1px solid var(--rule); padding-top: .7rem; }
figcaption { font-size: .875rem; color: var(--muted); line-height: 1.4; margin-bottom: .35rem; min-height: 2.45em; }
figcaption strong { color: var(--ink); font-size: .9375rem; margin-right: .35em; }
.plot { display: block; width: 100%; height: auto; max-width: 46rem; font-family: inherit; }
.beside { display: grid; gap: 2rem 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); align-items: start; }
.scroll { overflow-x: auto; margin-top: 1.5rem; }
.scroll + h3 { margin-top: 1.75rem; }
.beside .scroll:first-child { margin-top: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .35rem; }
th, td { padding: .42rem .9rem .42rem 0; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
thead th { color: var(--muted); font-weight: 500; font-size: .8125rem; border-bottom-color: var(--muted); }
th:first-child, .text th, .text td { text-align: left; }
.text td { white-space: normal; overflow-wrap: anywhere; }
tbody th { font-weight: 550; }
th:last-child, td:last-child { padding-right: 0; }
.remark { color: var(--muted); font-size: .875rem; margin: .6rem 0 0; }
details summary { cursor: pointer; color: var(--accent); }
pre { background: var(--tint); padding: 1rem 1.2rem; border-radius: 6px; overflow-x: auto; font: .8125rem/1.5 ui-monospace, "JetBrains Mono", "DejaVu Sans Mono", monospace; }
.definitions { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .3rem 1.5rem; margin: 0; font-size: .9375rem; }
.definitions dt { font-weight: 550; }
.definitions dd { margin: 0; color: var(--muted); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 54rem) { .conclusion { grid-template-columns: minmax(0, 1fr); } }
@media print {
  :root { --paper: #fff; --ink: #000; --muted: #444; --rule: #ccc; --tint: #f3f3f3; --accent: #0b5c97; --good: #0a6b4b; --bad: #a3260f; --limit: #a3260f;
    --series-0: #0072b2; --series-1: #d55e00; --series-2: #009e73; --series-3: #b65a93; --series-4: #3d9bd3; --series-5: #c98a00; --series-6: #5b626a; }
  @page { size: A4; margin: 16mm 15mm; }
  body { font-size: 10.5pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main { max-width: none; padding: 0; }
  section { margin-top: 9mm; }
  figure, table, .evidence, .tile, .bound { break-inside: avoid; }
  h2, h3, caption { break-after: avoid; }
  .conclusion { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 8mm; }
  .findings { margin-top: 5mm; }
  .tiles { grid-template-columns: repeat(2, 1fr); gap: 4mm 6mm; }
  .number { font-size: 18pt; }
  .figures, .beside { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 5mm 7mm; }
  .beside .figures { grid-template-columns: minmax(0, 1fr); }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { padding-right: 2mm; }
}
)";

}  // namespace rackwright::report
