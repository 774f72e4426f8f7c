// A table that needs no table: scenes for testing the chain, every graphic in turn. The cards are made up.

const PROFILE = { name: "guandan-event", zh: "竞技掼蛋", en: "Guandan, event rules" };
const PLAYERS = { zh: ["陈立", "王晓燕", "欧阳静怡", "赵国强"], en: ["Chen Li", "Wang Xiaoyan", "Ouyang Jingyi", "Zhao Guoqiang"] };

function seats(players, left, more = {}) {
  return left.map((remaining, seat) => ({
    seat, player: players[seat], side: seat % 2, remaining, called: null, finished: null, turn: false,
    ...(more[seat] ?? {}),
  }));
}

function play(seq, seat, cards) {
  return cards ? { seq, seat, cards: cards.split(" "), says: null, pass: false } : { seq, seat, cards: [], says: null, pass: true };
}

function base(lang) {
  const players = PLAYERS[lang];
  return {
    match: {
      table: lang === "zh" ? "桌 3" : "Table 3", profile: PROFILE, game: "guandan", players, levels: ["8", "5"], deal: 7,
      level: "8", ended: null, view: { level: "8" }, seq: 40,
    },
    seats: seats(players, [14, 11, 9, 8], { 3: { turn: true }, 2: { called: 9 } }),
    trick: { leader: 0, number: 4, over: false, plays: [play(31, 0, "S7 H7 D7 S3 H3"), play(32, 1, null), play(33, 2, "S9 H9 D9 S4 C4")] },
    clock: { stopped: false, waits: [], at: 0 },
    results: [], upheld: [], control: { graphics: "live", correcting: false, taken: {} },
  };
}

function shengji(lang) {
  const scene = base(lang);
  scene.match = {
    ...scene.match, game: "shengji", levels: ["10", "7"], level: "10", deal: 4,
    profile: { name: "shengji-event", zh: "升级", en: "Shengji" },
    view: { level: "10", trump: "H", banker: 0, points: 45 },
  };
  scene.seats = seats(PLAYERS[lang], [14, 14, 14, 15], { 3: { turn: true } });
  scene.trick = { leader: 0, number: 8, over: false,
    plays: [play(71, 0, "SK SK SQ SQ"), play(72, 1, "SA S10 S5 S5"), play(73, 2, "S3 S4 S7 S8")] };
  return scene;
}

/** The scenes by name, as they are told to the element. */
export const SCENES = {
  trick: base,
  clock: (lang) => ({ ...base(lang), clock: { stopped: false, waits: [{ seat: 3, action: "play", limit: 20, left: 7.9 }], at: 0 } }),
  bomb: (lang) => ({ ...base(lang), seats: seats(PLAYERS[lang], [14, 11, 1, 2], { 0: { turn: true }, 2: { called: 1 }, 3: { called: 2 } }),
    trick: { leader: 1, number: 9, over: false, plays: [play(51, 1, "S5 H6 C7 D8 S9"), play(52, 2, "HQ SQ CQ DQ"),
      play(53, 3, "SK HK CK DK SK H8"), play(54, 0, "C3 H3 S3 D3 H3 S3 D3 C3")] } }),
  finding: (lang) => ({ ...base(lang), upheld: [{ finding: 3, rule: "GDE-31", kind: "timeout", seat: 3,
    article: { zh: "还贡30秒、首次出牌45秒、其余30秒；超时警告一次，满五次对方升一级",
      en: "Return 30 s, first play 45 s, otherwise 30 s; a warning each time, every fifth gives the other side a level" },
    penalty: { kind: "warning", amount: 1 } }] }),
  result: (lang) => ({ ...base(lang), match: { ...base(lang).match, levels: ["J", "5"] }, results: [{ deal: 7, text: { zh: "", en: "" },
    result: { finish: [0, 2, 3, 1], side: 0, rise: 3, levels: ["J", "5"] } }] }),
  names: (lang) => ({ ...base(lang), trick: { leader: null, number: 0, plays: [] }, seats: seats(PLAYERS[lang], [27, 27, 27, 27]) }),
  shengji,
  points: (lang) => ({ ...shengji(lang), results: [{ deal: 4, text: { zh: "", en: "" },
    result: { points: 95, side: 1, rise: 0, next_banker: 1, levels: ["10", "7"] } }] }),
  hands: (lang) => ({ ...base(lang), hands: { deal: 7, hands: Object.fromEntries([0, 1, 2, 3].map((seat) => [seat, someHand(seat)])), kitty: [] },
    results: [{ deal: 7, text: { zh: "", en: "" }, result: {} }] }),
};

/** Twenty-seven cards of two packs, sorted as they come: no hand that anybody held. */
function someHand(seat) {
  const names = ["BJ", "LJ"];
  for (const rank of ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"]) names.push(...["S", "H", "C", "D"].map((suit) => suit + rank));
  return [...names, ...names].sort((a, b) => names.indexOf(a) - names.indexOf(b)).filter((_, at) => (at * 7 + (at >> 2)) % 4 === seat);
}

const CYCLE = ["names", "trick", "clock", "bomb", "finding", "result", "shengji", "points"];
const SCENE_MS = 6000;

/** Play the test pattern: one scene by name, or every scene in turn for ever. */
export function playDemo(overlay, which) {
  const lang = overlay.settings.lang;
  const tell = (name) => {
    overlay.begin({}, {});
    overlay.begin(SCENES[name](lang), {});
  };
  if (SCENES[which]) {
    tell(which);
    return () => {};
  }
  let at = 0;
  tell(CYCLE[0]);
  const timer = setInterval(() => tell(CYCLE[++at % CYCLE.length]), SCENE_MS);
  return () => clearInterval(timer);
}
