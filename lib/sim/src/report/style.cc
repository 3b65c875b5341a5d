#include "report/style.h"

namespace recloser::sim::report {

// Colours: Okabe and Ito's, which the colour-blind can tell apart, brighter in the dark.
const char kStyle[] = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2125; --faint: #5b6570; --rule: #e3e6ea; --panel: #f7f8fa;
  --arm0: #0060b0; --arm1: #d06000; --arm2: #7a828b; --arm3: #00876a; --arm4: #b0508c; --wide: #c9a227; --other: #545c66;
  --fault: #50565e; --open: #c8382e; --halfopen: #e3a21a; --closed: #3c9d5b; --better: #00744f; --worse: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --ink: #e7eaed; --faint: #a2abb4; --rule: #2c3238; --panel: #1c2024;
    --arm0: #5cb3ff; --arm1: #ff9a4d; --arm2: #98a1ab; --arm3: #3cc9a3; --arm4: #e58bc4; --wide: #d8bd5a; --other: #c3cad1;
    --fault: #b9c0c8; --open: #f0685d; --halfopen: #f2c14e; --closed: #57bd78; --better: #4fcf9f; --worse: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 16px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 8px 0; } h2 { margin: 40px 0 8px; border-bottom: 1px solid var(--rule); } h4 { margin: 0 0 4px; font-size: 15px; }
p, ul, dl { max-width: 80ch; } a { color: var(--arm0); } code { overflow-wrap: anywhere; }
dt { font-weight: 600; } dd { margin: 0 0 6px 16px; } li { margin-bottom: 6px; }
nav a { display: inline-block; padding: 3px 8px 3px 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 370px), 1fr)); gap: 16px; }
.pairs { grid-template-columns: repeat(auto-fill, minmax(min(100%, 500px), 1fr)); }
figure { margin: 0; padding: 10px; background: var(--panel); border-radius: 8px; }
svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 13px; }
.entry { display: inline-block; margin-right: 10px; } .note { display: block; color: var(--faint); }
.key { display: inline-block; width: 18px; height: 0; margin-right: 5px; vertical-align: middle; border-top: 3px solid var(--look); }
.key.round { width: 10px; height: 10px; border: 0; border-radius: 5px; background: var(--look); }
.key.fault, .key.open, .key.halfopen, .key.closed { height: 10px; border: 0; background: var(--look); }
.key.fault { opacity: .28; } .key.opens, .key.closes { border-top: 2px dashed var(--look); }
.key.arm2, .key.wide { border-top-style: dashed; }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg text.label { fill: var(--faint); }
svg text.halo { paint-order: stroke; stroke: var(--panel); stroke-width: 3px; }
.grid { stroke: var(--rule); fill: none; } .line { stroke: var(--look); stroke-width: 1.6; fill: none; stroke-linejoin: round; }
.line.arm0 { stroke-width: 2.6; } .line.arm2, .line.wide { stroke-dasharray: 5 3; } .dot { fill: var(--look); } .faint { fill-opacity: .5; }
.opens, .closes { stroke: var(--look); stroke-width: 1.5; stroke-dasharray: 5 3; fill: none; } path.even { stroke: var(--ink); fill: none; }
rect.fault, rect.open, rect.halfopen, rect.closed { fill: var(--look); }
.arm0 { --look: var(--arm0); } .arm1 { --look: var(--arm1); } .arm2 { --look: var(--arm2); } .arm3 { --look: var(--arm3); }
.arm4 { --look: var(--arm4); } .wide { --look: var(--wide); } .other { --look: var(--other); } .fault { --look: var(--fault); } .even { --look: var(--ink); }
.open, .opens { --look: var(--open); } .halfopen { --look: var(--halfopen); } .closed, .closes { --look: var(--closed); }
.better { --look: var(--better); } .worse { --look: var(--worse); } td.better, td.worse { color: var(--look); }
.wide-table { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 8px; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top; }
th:first-child { text-align: left; white-space: nowrap; } td small { display: block; color: var(--faint); white-space: nowrap; }
details { margin: 10px 0; } summary { cursor: pointer; }
)css";

}  // namespace recloser::sim::report
