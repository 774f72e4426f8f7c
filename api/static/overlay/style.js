// How the graphics look: one typeface at one weight, numbers of one width, two side colours, panels that hold over any
// picture. Motion is opacity and transform, under 300 ms.

export const STYLE = `
:host { position: fixed; inset: 0; display: block; overflow: hidden; pointer-events: none; background: transparent; }
.stage {
  position: absolute; left: 0; top: 0; width: 1920px; height: 1080px; transform-origin: 0 0; overflow: hidden;
  font: 600 34px/1.2 "Noto Sans SC", "Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  font-variant-numeric: tabular-nums; font-synthesis: none; -webkit-font-smoothing: antialiased;
  color: var(--ink); --gap: 12px; --stripe: 14px; --card: 92px;
}
.stage.vertical { width: 1080px; height: 1920px; }
.dark { --panel: rgba(13,19,26,.93); --raised: #1d2833; --ink: #fff; --quiet: #c6d0da; --line: rgba(255,255,255,.16); --late: #ffd23f; --edge: rgba(255,255,255,.10); }
.light { --panel: rgba(251,251,248,.95); --raised: #e6e9eb; --ink: #10161c; --quiet: #36424d; --line: rgba(16,22,28,.18); --late: #a31515; --edge: rgba(16,22,28,.12); }
.keyed.dark { --panel: #0d131a; --edge: #2a343e; --line: #333e49; } .keyed.light { --panel: #fbfbf8; --edge: #d5d9dc; --line: #cfd4d8; }
b, small, span { font: inherit; }
.safe { position: absolute; inset: 5%; outline: 2px dashed #ff2bd6; }

.g { position: absolute; opacity: 0; visibility: hidden; transform: translateY(10px); transition: opacity .2s ease-in, transform .2s ease-in, visibility 0s .2s; }
.g.on { opacity: 1; visibility: visible; transform: none; transition: opacity .24s ease-out, transform .24s ease-out; }
.keyed .g { opacity: 1; }
.enter { animation: enter .22s ease-out; }
@keyframes enter { from { opacity: 0; transform: translateY(14px); } }
.keyed .enter { animation: none; }
.still .g, .still .enter { transition: none; animation: none; }
@media (prefers-reduced-motion: reduce) { .g, .g.on, .enter { transition: none; animation: none; } }

.panel, [data-graphic="bug"], .pair, .seat, [data-graphic="clock"], [data-graphic="finding"], [data-graphic="result"], [data-graphic="names"], [data-graphic="hands"] {
  background: var(--panel); border-radius: 6px; overflow: hidden; box-shadow: 0 0 0 1px var(--edge);
}
.stripe { flex: none; align-self: stretch; width: var(--stripe); background: var(--side); }
.side-0 { --side: var(--side-0); --on-side: var(--ink-0); } .side-1 { --side: var(--side-1); --on-side: var(--ink-1); }
/* Side B is also told by its shape: its stripe is two lines. */
.stripe.side-1 { background: linear-gradient(90deg, var(--side) 0 36%, transparent 36% 64%, var(--side) 64%); }
.level { flex: none; background: var(--side); color: var(--on-side); min-width: 92px; text-align: center; }
.names, .who, .who span, .one span, .line span, .won span, .word { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.4; min-width: 0; }
.two.two { white-space: normal; line-height: 1.1; text-align: start; }
.label, .head, small { color: var(--quiet); }
.card { flex: none; display: block; width: var(--card); height: calc(var(--card) * 1.4); }
.card svg { width: 100%; height: 100%; display: block; overflow: visible; }
.paper { fill: #fff; stroke: #10161c; stroke-width: 2; }
.ink { fill: none; stroke: var(--card-ink); stroke-width: 9.5; stroke-linecap: round; stroke-linejoin: round; }
.black { --card-ink: #10161c; } .red { --card-ink: #c4001d; } .green { --card-ink: #00602b; } .blue { --card-ink: #0b4fa8; }
.fill { fill: var(--card-ink); stroke: none; } .line { fill: none; stroke: var(--card-ink); }
svg .line { stroke-width: 7; stroke-linejoin: round; }
.back { fill: #1d4f7c; } .weave { fill: none; stroke: #9fc6e8; stroke-width: 3; }
.cards { display: flex; }

/* Score and level bug */
/* As wide as the names ask for; what stands beside it knows that too, shown or not. */
[data-graphic="bug"] { left: 96px; top: 54px; width: var(--bug, 470px); }
[data-graphic="bug"] .head { display: flex; justify-content: space-between; padding: 7px 20px 8px 22px; font-size: 27px; }
[data-graphic="bug"] .row { display: flex; align-items: center; height: 60px; border-top: 1px solid var(--line); }
[data-graphic="bug"] .names { flex: 1; padding: 0 16px; }
[data-graphic="bug"] .level { line-height: 60px; font-size: 42px; }

/* Trump and points */
[data-graphic="trump"] { left: calc(108px + var(--bug, 470px)); top: 54px; display: flex; gap: var(--gap); }
.pair { display: flex; flex-direction: column; align-items: center; justify-content: space-between; box-sizing: border-box; height: 169px; min-width: 118px; padding: 9px 18px 12px; }
.pair .label { font-size: 27px; white-space: nowrap; }
.pair .card { --card: 76px; }
.pair .suit { font-size: 92px; line-height: 1; font-family: "Noto Sans SC", "Noto Sans CJK SC", sans-serif; }
.pair .suit.red { color: #ff5a64; } .light .pair .suit.red { color: #c4001d; }
.pair .word { font-size: 44px; line-height: 100px; max-width: 260px; }
.number { font-size: 76px; line-height: 1.15; }

/* Seats */
[data-graphic="seats"] { left: 96px; right: 96px; bottom: 54px; display: grid; grid-template-columns: repeat(4, 1fr); gap: var(--gap); }
.seat { display: flex; align-items: center; height: 88px; position: relative; }
.seat .who { flex: 1; padding: 0 14px 0 18px; font-size: 38px; }
.seat .count { flex: none; display: flex; align-items: baseline; padding-right: 20px; }
.seat .count b { font-size: 56px; min-width: 66px; text-align: right; } .seat .count small { font-size: 26px; padding-left: 6px; }
.seat .called { flex: none; font-size: 28px; line-height: 44px; padding: 0 12px; margin-right: 12px; border-radius: 4px; background: var(--ink); color: var(--raised); }
.light .seat .called { color: #fff; }
.seat .place { flex: none; font-size: 38px; padding-right: 22px; }
/* Within the panel, so that it shows over any picture. */
.seat::after { content: ""; position: absolute; left: 24px; right: 10px; top: 7px; height: 6px; border-radius: 3px; background: var(--ink); opacity: 0; transform: scaleX(.2); transition: opacity .2s, transform .2s; }
.seat.turn::after { opacity: 1; transform: none; }
.keyed .seat::after { transition: none; }

/* The trick: each seat's cards over its panel */
[data-graphic="trick"] { left: 96px; right: 96px; bottom: 154px; display: grid; grid-template-columns: repeat(4, 1fr); gap: var(--gap); align-items: end; }
.place { min-width: 0; }
.laid .cards { --room: 412px; padding-left: 2px; }
.laid .cards + .cards { margin-top: -72px; position: relative; }
.laid .card:not(:last-child) { margin-right: min(-30px, calc((var(--room) - var(--n) * var(--card)) / max(1, var(--n) - 1))); }
.laid:not(.newest) .card { filter: brightness(.78); }
.passed { display: inline-block; font-size: 34px; line-height: 60px; padding: 0 24px; background: var(--panel); box-shadow: 0 0 0 1px var(--edge); border-radius: 6px; color: var(--quiet); }

/* The last seconds */
[data-graphic="clock"] { right: 96px; top: 54px; width: 236px; text-align: center; }
[data-graphic="clock"] .who { display: flex; align-items: center; font-size: 32px; border-bottom: 1px solid var(--line); }
[data-graphic="clock"] .who { height: 58px; } [data-graphic="clock"] .who .stripe { height: 58px; } [data-graphic="clock"] .who span { flex: 1; padding: 0 14px; }
.digits { display: block; font-size: 118px; line-height: 126px; } .late { color: var(--late); }
.bar { display: block; height: 10px; margin: 0 12px 12px; border-radius: 3px; background: currentColor; transform-origin: 0 50%; transform: scaleX(var(--share)); transition: transform .1s linear; }

/* A finding, upheld */
[data-graphic="finding"] { left: 96px; bottom: 300px; width: 1250px; display: flex; align-items: stretch; }
[data-graphic="finding"] .title { flex: none; display: flex; flex-direction: column; justify-content: center; align-items: center; padding: 20px 38px; background: var(--raised); border-right: 1px solid var(--line); font-size: 46px; }
[data-graphic="finding"] .rule { font-size: 26px; padding-top: 4px; color: inherit; }
[data-graphic="finding"] .body { flex: 1; padding: 20px 30px 24px; min-width: 0; }
[data-graphic="finding"] .line { display: flex; align-items: center; gap: 16px; font-size: 40px; height: 54px; }
[data-graphic="finding"] .line .stripe { align-self: center; height: 40px; }
.penalty { margin-left: auto; flex: none; font-size: 38px; }
.article { font-size: 36px; line-height: 1.35; padding-top: 6px; color: var(--ink); }

/* The result of a deal */
[data-graphic="result"] { left: 96px; right: 96px; bottom: 54px; }
[data-graphic="result"] .title, [data-graphic="names"] .title, [data-graphic="hands"] .title { display: flex; align-items: baseline; gap: 22px; padding: 14px 28px 12px; font-size: 36px; border-bottom: 1px solid var(--line); }
.title span { color: var(--quiet); font-size: 30px; }
.order { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; }
.order .one { display: flex; align-items: center; gap: 18px; height: 108px; padding-left: 28px; font-size: 42px; min-width: 0; }
.order .one .stripe { align-self: center; height: 62px; } .order .one span { flex: 1; }
.order small { font-size: 32px; white-space: nowrap; }
.gain { display: flex; align-items: stretch; height: 96px; border-top: 1px solid var(--line); }
.won { flex: 1; display: flex; align-items: center; justify-content: space-between; gap: 24px; background: var(--side); color: var(--on-side); padding: 0 32px; font-size: 44px; min-width: 0; }
.won span { flex: 1; } .won b { flex: none; font-size: 52px; }
.levels { display: flex; align-items: center; } .levels small { padding: 0 26px; font-size: 32px; }
.levels .level { line-height: 96px; min-width: 120px; font-size: 60px; }
.big { font-size: 56px; padding: 28px 32px; }

/* Names, a lower third */
[data-graphic="names"] { left: 96px; bottom: 54px; width: 980px; }
.plate { display: flex; align-items: center; height: 92px; } .plate + .plate { border-top: 1px solid var(--line); }
.plate .names { flex: 1; padding: 0 26px; font-size: 50px; } .plate .level { line-height: 92px; min-width: 116px; font-size: 54px; }

/* The four hands, once they may be seen */
[data-graphic="hands"] { left: 96px; right: 96px; bottom: 54px; --card: 84px; }
.hand { display: flex; align-items: center; padding: 8px 20px 8px 0; gap: 18px; border-top: 1px solid var(--line); }
.hand .who { flex: none; width: 190px; font-size: 34px; } .hand .cards { --room: 1440px; }
.hand .card:not(:last-child) { margin-right: min(6px, calc((var(--room) - var(--n) * var(--card)) / max(1, var(--n) - 1))); }

/* Upright: 1080 by 1920; the lowest sixth is left to what players of upright video lay over it. */
.vertical { --card: 104px; }
.vertical [data-graphic="bug"] { left: 54px; right: 54px; width: auto; top: 96px; }
.vertical [data-graphic="bug"] .head { font-size: 34px; } .vertical [data-graphic="bug"] .row { height: 78px; }
.vertical [data-graphic="bug"] .names { font-size: 44px; } .vertical [data-graphic="bug"] .level { line-height: 78px; font-size: 54px; min-width: 130px; }
.vertical [data-graphic="trump"] { left: 54px; top: 330px; }
.vertical .pair { height: 190px; min-width: 140px; } .vertical .pair .label { font-size: 32px; } .vertical .pair .card { --card: 86px; }
.vertical [data-graphic="clock"] { right: 54px; top: 330px; width: 270px; }
.vertical [data-graphic="clock"] .who { font-size: 38px; } .vertical .digits { font-size: 136px; line-height: 142px; }
.vertical [data-graphic="seats"], .vertical [data-graphic="trick"] { left: 54px; right: 54px; grid-template-columns: repeat(2, 1fr); }
.vertical [data-graphic="seats"] { bottom: 320px; row-gap: 182px; }
.vertical [data-graphic="trick"] { bottom: 424px; row-gap: 104px; grid-auto-rows: 174px; }
.vertical .seat { height: 98px; } .vertical .seat .who { font-size: 42px; } .vertical .seat .count b { font-size: 62px; }
.vertical .place { max-height: 174px; } .vertical .laid .cards { --room: 476px; } .vertical .laid .cards + .cards { margin-top: -104px; }
.vertical .laid:has(.cards + .cards) { transform: scale(.86); transform-origin: 0 100%; }
.vertical [data-graphic="finding"] { left: 54px; right: 54px; width: auto; bottom: 900px; flex-direction: column; }
.vertical [data-graphic="finding"] .title { flex-direction: row; justify-content: space-between; padding: 12px 28px; }
.vertical .article { font-size: 42px; } .vertical [data-graphic="finding"] .line { font-size: 46px; }
.vertical [data-graphic="result"], .vertical [data-graphic="names"], .vertical [data-graphic="hands"] { left: 54px; right: 54px; width: auto; bottom: 320px; }
.vertical .order { grid-auto-flow: row; } .vertical .order .one { height: 88px; }
.vertical .gain { flex-direction: column; height: auto; } .vertical .won { padding: 20px 28px; flex-wrap: wrap; }
.vertical .levels .level { flex: 1; }
.vertical [data-graphic="hands"] { --card: 62px; } .vertical .hand { flex-wrap: wrap; gap: 6px 14px; padding-left: 0; } .vertical .hand .cards { --room: 900px; padding-left: 26px; }
`;
