// Talks to the table's API: JSON in and out, what went wrong as a Problem with its fields, a newer state as a conflict.

const ROOT = "/api/v1/";

/** What the table answered instead of doing it. `errors`: [{field, why: {zh, en}}]; `state`: the present state of a 412. */
export class Problem extends Error {
  constructor(status, body) {
    super(words(body.detail, "en") || words(body.title, "en") || `HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.errors = Array.isArray(body.errors) ? body.errors : [];
    this.state = body.state ?? null;
  }

  /** In a language; with the faults of fields that stand in no form. */
  say(lang, shown = []) {
    const main = words(this.body.detail, lang) || words(this.body.title, lang) || this.message;
    const rest = this.errors.filter((one) => !shown.includes(one.field)).map((one) => words(one.why, lang)).filter(Boolean);
    return [...new Set(rest.length ? rest : [main])].join(" ");
  }

  /** What is wrong with a field, "" where nothing is. */
  field(name, lang) {
    return this.errors.filter((one) => String(one.field).split(/[./]/).pop() === name).map((one) => words(one.why, lang)).join(" ");
  }
}

function words(value, lang) {
  return typeof value === "string" ? value : value?.[lang] ?? value?.en ?? "";
}

/** Ask the table. `match`: number of the state it was decided on. Raises Problem; a lost connection is a Problem of status 0. */
export async function ask(method, path, body, match) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (match !== undefined && match !== null) headers["If-Match"] = `"${match}"`;
  let answer;
  try {
    answer = await fetch(ROOT + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", keepalive: method === "PUT" });
  } catch {
    throw new Problem(0, { detail: { zh: "与牌桌的连接中断，没有送到", en: "the connection to the table is lost: it was not sent" } });
  }
  const json = /json/.test(answer.headers.get("content-type") ?? "");
  const value = json ? await answer.json().catch(() => ({})) : await answer.text();
  if (!answer.ok) throw new Problem(answer.status, json && value ? value : { title: `HTTP ${answer.status}` });
  return value;
}

export const get = (path) => ask("GET", path);

/** Where evidence, records and pictures lie. */
export const address = (path) => ROOT + path;
