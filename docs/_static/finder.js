// The finder: the value of a typed list under every convention, nearest to a printed number first.
//
// It computes what `receval.which` computes, without a server. Conventions, formulas, gains and weights
// are in the page (the element "finder-data"), where docs/finder.py writes them from receval. A test in
// tests/website.py compares the values with those of Python.

"use strict";

const finder = (() => {
  const data = () => JSON.parse(document.getElementById("finder-data").textContent);

  // Lists -----------------------------------------------------------------------------------------

  /** Return the numbers in a text, which are separated by spaces, commas or semicolons. */
  function readGrades(text, name) {
    const words = text.split(/[\s,;]+/).filter((word) => word !== "");
    return words.map((word) => {
      const grade = Number(word);
      if (!Number.isFinite(grade) || grade < 0) {
        throw new Error(`${name} must be numbers of at least 0; got "${word}"`);
      }
      return grade;
    });
  }

  /** Return a list with the grades by rank and those of all relevant items, as the rules see them. */
  function applyThreshold(list, rules) {
    const change = (grade) => {
      const kept = grade >= rules.threshold ? grade : 0;
      if (rules.binaryFrom > 0) {
        return kept >= rules.binaryFrom ? 1 : 0;
      }
      return kept;
    };
    const grades = list.grades.map(change);
    const relevance = list.relevance.map(change).filter((grade) => grade > 0);
    relevance.sort((a, b) => b - a);
    return { grades, relevance, nRelevant: relevance.length };
  }

  /** Return the list (grades by rank) with all relevant items: those in the list, and further ones. */
  function makeList(grades, unlisted) {
    return { grades, relevance: [...grades, ...unlisted].filter((grade) => grade > 0) };
  }

  // Formulas --------------------------------------------------------------------------------------

  /** Return the gain of a grade; the coefficients come from `describe_gain` in docs/finder.py. */
  function gainOf(gain, grade) {
    if (grade <= 0 || grade < gain.from) {
      return 0;
    }
    return gain.power * 2 ** grade + gain.slope * grade + gain.constant;
  }

  /** Return the terms of the first ranks, with their factors and the running sum. */
  function termsOf(formula, grades, depth, weights) {
    const rows = [];
    let sum = 0;
    let gainSum = 0;
    let unstopped = 1;
    for (let index = 0; index < Math.min(depth, grades.length); index += 1) {
      const gain = gainOf(formula.gain, grades[index]);
      gainSum += gain;
      let term = gain;
      let prefix = null;
      if (formula.above === "unstopped") {
        prefix = unstopped;
        unstopped *= 1 - gain;
      } else if (formula.above === "precision") {
        prefix = gainSum / (index + 1);
      }
      if (prefix !== null) {
        term *= prefix;
      }
      let weight = null;
      if (formula.weight !== null) {
        weight = weights[formula.weight][index];
        term *= weight;
      }
      sum += term;
      rows.push({ rank: index + 1, grade: grades[index], gain, weight, prefix, term, sum });
    }
    return rows;
  }

  function sumOf(rows) {
    return rows.length === 0 ? 0 : rows[rows.length - 1].sum;
  }

  /** Return a divisor that is a number of items, by the name that it has in receval. */
  function countOf(name, list, k) {
    const length = list.grades.length;
    const cutoff = k === null ? length : k;
    const retrieved = Math.min(length, cutoff);
    const counts = {
      cutoff_divisor: cutoff,
      retrieved_divisor: retrieved,
      relevant_divisor: list.nRelevant,
      reachable_divisor: Math.min(cutoff, list.nRelevant),
      listed_divisor: Math.min(retrieved, list.nRelevant),
      found_divisor: list.grades.slice(0, cutoff).filter((grade) => grade > 0).length,
    };
    if (!(name in counts)) {
      throw new Error(`finder.js doesn't know the divisor ${name}`);
    }
    return counts[name];
  }

  /** Return the divisor of the sum; null says that the sum is the value. */
  function divisorOf(formula, list, k, weights) {
    const divisor = formula.divisor;
    if (divisor === null) {
      return null;
    }
    if (divisor === "ideal") {
      return sumOf(termsOf(formula, list.relevance, k === null ? Infinity : k, weights));
    }
    if (divisor === "perfect") {
      const length = k === null ? list.grades.length : k;
      const perfect = list.nRelevant > 0 ? Array(length).fill(1) : [];
      return sumOf(termsOf(formula, perfect, length, weights));
    }
    if (divisor.meanOf) {
      const [first, second] = divisor.meanOf.map((name) => countOf(name, list, k));
      return first > 0 && second > 0 ? (first + second) / 2 : 0;
    }
    if (divisor.atLeast1) {
      return list.nRelevant > 0 ? Math.max(countOf(divisor.atLeast1, list, k), 1) : 0;
    }
    return countOf(divisor, list, k);
  }

  /** Return the value of a list under some rules, with its working; NaN if they refuse the list. */
  function compute(list, k, rules, formulas, weights) {
    const formula = formulas[rules.formula];
    const seen = applyThreshold(list, rules);
    let depth = k === null ? Infinity : k;
    if (formula.listCutoff) {
      depth = seen.nRelevant;
    }
    const rows = termsOf(formula, seen.grades, depth, weights);
    const divisor = divisorOf(formula, seen, k, weights);
    let sum = sumOf(rows);
    if (formula.divisor === "ideal" || formula.divisor === "perfect") {
      if (sum * (1 - 1e-9) > divisor) {
        return { value: NaN, rows, divisor }; // a list can't be better than its ideal list
      }
      sum = Math.min(sum, divisor);
    }
    let value = sum;
    if (divisor !== null) {
      value = divisor === 0 ? 0 : sum / divisor; // receval counts an undefined value as 0
    }
    if (rules.noTruth === "skip" && seen.nRelevant === 0) {
      value = NaN;
    }
    if (rules.missing === "skip" && list.grades.length === 0) {
      value = NaN;
    }
    return { value, rows, divisor };
  }

  // Candidates ------------------------------------------------------------------------------------

  /** Return a printed number with its number of decimals; raise if it is not a plain number. */
  function readPrinted(text) {
    const match = /^[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))$/.exec(text.trim());
    if (match === null) {
      throw new Error(`the printed number must be a number such as 0.88; got "${text}"`);
    }
    return { value: Number(text), decimals: (match[1] || match[2] || "").length };
  }

  /** Return whether a value prints as the number; whole numbers must be equal, as in receval. */
  function agrees(value, printed) {
    const half = printed.decimals === 0 ? 0 : 0.5 * 10 ** -printed.decimals;
    return Math.abs(value - printed.value) <= half + Math.abs(value) * 1e-12;
  }

  /** Return the candidates of a measure for a list, nearest to the printed number first. */
  function search(printedText, list, measureName, k, all) {
    const printed = readPrinted(printedText);
    const measure = all.measures[measureName];
    // A candidate or step has the number of its rules.
    const valueUnder = (choice) => compute(list, k, all.rules[choice.rules], all.formulas, all.weights);
    const candidates = [];
    for (const candidate of measure.candidates) {
      const { value, rows, divisor } = valueUnder(candidate);
      // A change that doesn't change the value of receval's own convention is left out.
      if (candidate.changes !== "" && value === candidates[0].value) {
        continue;
      }
      const distance = agrees(value, printed) ? 0 : Math.abs(value - printed.value);
      const steps = candidate.steps.map((step) => ({ ...step, value: valueUnder(step).value }));
      candidates.push({ ...candidate, value, distance, rows, divisor, steps });
    }
    const key = (candidate) => (Number.isNaN(candidate.distance) ? Infinity : candidate.distance);
    return candidates
      .map((candidate, index) => ({ candidate, index }))
      .sort((a, b) => key(a.candidate) - key(b.candidate) || a.index - b.index)
      .map(({ candidate }) => candidate);
  }

  // The page --------------------------------------------------------------------------------------

  const FIELDS = ["grades", "unlisted", "value", "measure", "k"];

  function element(tag, text = "", attributes = {}) {
    const result = document.createElement(tag);
    result.textContent = text;
    for (const [name, value] of Object.entries(attributes)) {
      result.setAttribute(name, value);
    }
    return result;
  }

  function shown(value) {
    if (value === null) {
      return "";
    }
    return Number.isNaN(value) ? "undefined" : String(Number(value.toFixed(4)));
  }

  function table(header, rows) {
    const result = element("table", "", { class: "table" });
    const head = result.createTHead().insertRow();
    header.forEach((name) => head.append(element("th", name, { scope: "col" })));
    const body = result.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((cell) => {
        const place = line.insertCell();
        place.append(cell);
      });
    }
    const scroll = element("div", "", { class: "pst-scrollable-table-container", tabindex: "0" });
    scroll.append(result);
    return scroll;
  }

  /** Return the terms of a value as a table. */
  function workingTable(candidate) {
    const columns = { rank: "rank", grade: "grade", gain: "gain", weight: "weight", prefix: "factor of the ranks above", term: "term", sum: "running sum" };
    const names = Object.keys(columns).filter((name) => candidate.rows.some((row) => row[name] !== null));
    const rows = candidate.rows.map((row) => names.map((name) => shown(row[name])));
    return table(names.map((name) => columns[name]), rows);
  }

  /** Return what a reader sees below a candidate: the way from receval to it, and its working. */
  function details(candidate, start, name) {
    const result = element("details");
    result.append(element("summary", "choice by choice"));
    if (candidate.steps.length > 0) {
      let previous = start;
      const rows = candidate.steps.map((step) => {
        const change = step.value - previous;
        previous = step.value;
        return [step.choice, step.from, step.to, shown(step.value), shown(change)];
      });
      result.append(element("p", `From receval's own ${name}, ${shown(start)}, one choice at a time:`));
      result.append(table(["choice", "from", "to", "value", "change"], rows));
    } else {
      result.append(element("p", "These are receval's own choices."));
    }
    result.append(element("p", "The working of this value:"));
    result.append(workingTable(candidate));
    if (candidate.divisor !== null) {
      result.append(element("p", `The last running sum divided by ${shown(candidate.divisor)} is ${shown(candidate.value)}.`));
    }
    return result;
  }

  function candidateRow(candidate, start, name, titles) {
    const who = element("div");
    if (candidate.changes === "") {
      who.append(element("a", candidate.convention, { href: `conventions/${candidate.convention}.html` }));
      const title = titles[candidate.convention];
      if (title !== candidate.convention) {
        who.append(` (${title})`);
      }
    } else {
      who.append(element("span", `receval with ${candidate.changes}`));
    }
    who.append(details(candidate, start, name));
    const value = element("strong", shown(candidate.value));
    let distance = shown(candidate.distance);
    if (candidate.distance === 0) {
      distance = "✓ prints as the number";
    }
    return [who, value, distance];
  }

  function pythonCall(state, measure) {
    const relevance = state.unlisted.length > 0 ? `, [${[...state.grades, ...state.unlisted].join(", ")}]` : "";
    return `receval.which("${state.value.trim()}", [${state.grades.join(", ")}]${relevance}, measure="${measure}")`;
  }

  /** Read the form, show the candidates, and write the form into the address of the page. */
  function update(form, output, all) {
    output.replaceChildren();
    try {
      const texts = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
      history.replaceState(null, "", `#${new URLSearchParams(texts)}`);
      const grades = readGrades(texts.grades, "the grades");
      const unlisted = readGrades(texts.unlisted, "the other relevant grades");
      const measure = all.measures[texts.measure];
      form.elements.k.disabled = !measure.takesCutoff;
      let k = null;
      if (measure.takesCutoff && texts.k.trim() !== "") {
        k = Number(texts.k);
        if (!Number.isInteger(k) || k < 1 || k > all.maxRanks) {
          throw new Error(`the cut-off must be a whole number from 1 to ${all.maxRanks}; got "${texts.k}"`);
        }
      }
      if (grades.length === 0 && !unlisted.some((grade) => grade > 0)) {
        throw new Error("type the grades of the list, best rank first");
      }
      if (grades.length + unlisted.length > all.maxRanks) {
        throw new Error(`the finder takes up to ${all.maxRanks} grades; use receval.which in Python`);
      }
      const list = makeList(grades, unlisted);
      const found = search(texts.value, list, texts.measure, k, all);
      const own = found.find((candidate) => candidate.convention === "receval" && candidate.changes === "");
      const name = k === null ? texts.measure : `${texts.measure}@${k}`;
      const matches = found.filter((candidate) => candidate.distance === 0);
      const verdict = matches.length === 0
        ? `No convention prints ${name} = ${texts.value.trim()} for this list. The nearest ones come first.`
        : `${matches.length} of ${found.length} candidates print ${name} = ${texts.value.trim()}.`;
      output.append(element("p", verdict, { class: "finder-verdict", role: "status" }));
      output.append(table(["who computes it", name, "distance"], found.map((candidate) => candidateRow(candidate, own.value, name, all.titles))));
      const more = element("p");
      more.append(element("a", `All about ${texts.measure}`, { href: measure.page }));
      output.append(more, element("p", "The same in Python:"), element("pre", pythonCall({ ...texts, grades, unlisted }, name)));
    } catch (error) {
      output.append(element("p", error.message, { class: "finder-error", role: "alert" }));
    }
  }

  /** Fill the form from the address, and follow every change. */
  function start() {
    const form = document.getElementById("finder");
    if (form === null) {
      return;
    }
    const all = data();
    const output = document.getElementById("finder-output");
    for (const [name, measure] of Object.entries(all.measures)) {
      form.elements.measure.append(element("option", `${name} (${measure.title})`, { value: name }));
    }
    form.elements.measure.value = "nDCG";
    const read = () => {
      const state = new URLSearchParams(location.hash.slice(1));
      FIELDS.filter((name) => state.has(name)).forEach((name) => {
        form.elements[name].value = state.get(name);
      });
      if (!(form.elements.measure.value in all.measures)) {
        form.elements.measure.value = "nDCG";
      }
      update(form, output, all);
    };
    form.addEventListener("input", () => update(form, output, all));
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", read);
    document.getElementById("finder-link").addEventListener("click", async (event) => {
      const button = event.target;
      try {
        await navigator.clipboard.writeText(location.href);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Copy the address above";
      }
      setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    });
    read();
  }

  document.addEventListener("DOMContentLoaded", start);
  return { data, makeList, search };
})();
