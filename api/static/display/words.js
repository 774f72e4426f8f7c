// The words of the pages in both languages, from the table's catalogue; the language changes without a reload.

let catalogue = {};
export let lang = localStorage.getItem("paizhuo-lang") ?? (navigator.language?.startsWith("zh") ? "zh" : "en");

/** Fetch the catalogue; pages show nothing before. */
export async function loadWords() {
  const answer = await fetch("/api/v1/texts", { credentials: "same-origin" });
  if (!answer.ok) throw new Error(`words: HTTP ${answer.status}`);
  const all = await answer.json();
  catalogue = all.display;
}

/** Change the language of the page. */
export function speak(wanted) {
  lang = wanted;
  localStorage.setItem("paizhuo-lang", wanted);
  document.documentElement.lang = wanted === "zh" ? "zh-CN" : "en";
}

/** The words of `key` with its fields filled in; the key itself where the catalogue lacks it. */
export function t(key, fields = {}) {
  const found = catalogue[key]?.[lang] ?? key;
  return found.replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
}

/** Whether the catalogue has words for a key. */
export const has = (key) => key in catalogue;

/** A text of the state, given in both languages. */
export const both = (value) => (typeof value === "string" ? value : value?.[lang] ?? value?.en ?? "");
