// Set-up: a new match. Rules, names as they sit, levels, options; what the table refuses stands beside its field.
import { Part, store } from "./app.js";
import { h, patch } from "./dom.js";
import { get, Problem } from "./http.js";
import { decideOn } from "./rulings.js";
import { both, lang, t } from "./words.js";

const LEVELS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];

class PzSetupMatch extends Part {
  parts = ["match", "link"];

  async connectedCallback() {
    this.profiles = [];
    this.values = { profile: "", players: ["", "", "", ""], levels: ["2", "2"], options: [] };
    super.connectedCallback();
    try {
      const found = await get("profiles");
      this.profiles = Array.isArray(found) ? found : found.profiles;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    }
    if (store.state.match) this.values.profile ||= this.profiles[0]?.name ?? "";
    this.show();
  }

  set(changes) {
    Object.assign(this.values, changes);
    this.show();
  }

  show() {
    if (!this.values) return;
    const { match } = store.state;
    // The match may be told after the page has come; what was typed by then stays.
    if (match && !this._filled) {
      this._filled = true;
      this.values.profile ||= match.profile?.name ?? "";
      if (this.values.players.every((name) => !name)) this.values.players = [...match.players];
    }
    const going = Boolean(match?.deal) && match.ended === null;
    const wrong = (name) => {
      const why = this.problem?.errors.filter((one) => String(one.field).split(".")[0] === name).map((one) => both(one.why)).join(" ");
      return why ? h("p", { class: "problem", role: "alert" }, why) : null;
    };
    patch(this, h("form", { class: "card", onsubmit: (event) => this.send(event) },
      h("h2", {}, t("new_match")),
      going && h("p", { class: "problem" }, t("match_goes_on", { deal: match.deal })),
      h("fieldset", { "data-field": "profile" }, h("legend", {}, t("rules")),
        h("div", { class: "profiles" }, this.profiles.map((one) => h("button", {
          type: "button", key: one.name, "aria-pressed": String(one.name === this.values.profile), onclick: () => this.set({ profile: one.name }),
        }, h("b", {}, both(one)), h("small", {}, one.name)))), wrong("profile")),
      h("fieldset", { "data-field": "players" }, h("legend", {}, t("players_as_they_sit")),
        h("div", { class: "seating" }, [2, 3, 1, 0].map((seat) => h("label", { key: `p${seat}`, class: `place${seat}` }, h("span", {}, t("seat_number", { seat })),
          h("input", {
            type: "text", name: `player${seat}`, value: this.values.players[seat] ?? "", maxlength: "40", autocomplete: "off",
            oninput: (event) => { this.values.players[seat] = event.target.value; this.show(); },
          })))), wrong("players")),
      h("fieldset", { "data-field": "levels" }, h("legend", {}, t("levels_of_sides")),
        h("div", { class: "row" }, [0, 1].map((side) => h("label", { class: "level" }, h("span", {}, this.side(side)),
          h("select", { name: `level${side}`, value: this.values.levels[side], onchange: (event) => { this.values.levels[side] = event.target.value; } },
            LEVELS.map((level) => h("option", { value: level }, level)))))), wrong("levels")),
      h("details", {}, h("summary", {}, t("options")), this.options(), wrong("options")),
      this.problem && h("p", { class: "problem", role: "alert" }, this.problem.say(lang, ["profile", "players", "levels", "options"])),
      h("div", { class: "row end" }, h("button", { type: "submit", class: "strong", disabled: !this.values.profile || going || this.busy || !store.fresh }, t("start_match")))));
  }

  side(side) {
    const name = (seat) => this.values.players[seat] || t("seat_number", { seat });
    return `${name(side)} · ${name(side + 2)}`;
  }

  /** Options that override keys of the profile: key and value. */
  options() {
    const { options } = this.values;
    return h("div", { class: "options" }, h("p", { class: "none" }, t("options_hint")),
      options.map((one, place) => h("div", { class: "row", key: `o${place}` },
        h("input", { type: "text", "aria-label": t("option_key"), placeholder: "clock.play", value: one.key, oninput: (event) => { one.key = event.target.value; } }),
        h("input", { type: "text", "aria-label": t("option_value"), placeholder: "25", value: one.value, oninput: (event) => { one.value = event.target.value; } }),
        h("button", { type: "button", onclick: () => this.set({ options: options.filter((_, at) => at !== place) }) }, t("remove")))),
      h("button", { type: "button", onclick: () => this.set({ options: [...options, { key: "", value: "" }] }) }, t("add_option")));
  }

  async send(event) {
    event.preventDefault();
    const { profile, players, levels, options } = this.values;
    const body = { profile, players, levels, options: Object.fromEntries(options.filter((one) => one.key.trim()).map((one) => [one.key.trim(), valueOf(one.value)])) };
    this.busy = true;
    this.problem = null;
    this.show();
    try {
      await decideOn("POST", "match", body, (state) => (state.match.deal && state.match.ended === null ? t("match_goes_on", { deal: state.match.deal }) : ""));
      location.assign("/display");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.problem = error;
    } finally {
      this.busy = false;
      this.show();
    }
  }
}

/** The value of an option as it is meant: a number, yes or no, or words. */
export function valueOf(text) {
  const value = text.trim();
  if (value === "true" || value === "false") return value === "true";
  return value !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

customElements.define("pz-setup-match", PzSetupMatch);
