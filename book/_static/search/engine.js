// Finds the sections of the book for a query. The data is written by
// bookkit/publishing/site/search; MiniSearch does the rest.
class BookSearch {
  static BOOST = { names: 4, title: 4, topic: 1.5, text: 1, code: 0.3 };
  // Sections that explain go before those in which something is looked up.
  static WEIGHTS = [
    [/^book\/appendix\/(glossary|convention_traps)/, 0.6],
    [/^book\/appendix\/api/, 0.2],
    [/^book\/appendix\/paper_to_code/, 0.08],
    [/^book\/(appendix|index|chapter_map)/, 0.15],
    [/#(exercises|summary|further-reading|common-errors)/, 0.5],
    [/^zh\/(?!normalization|appendix\/fifty)/, 0.3],
  ];
  // Who types a name of code looks for its entry.
  static API = /^book\/appendix\/api\//;
  static NAME_OF_CODE = /^\S*(?:[_.]|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll})\S*$/u;
  // An entry of the glossary is short, and says first what a thing is.
  static GLOSSARY = /^book\/appendix\/glossary/;
  // A section whose title is the query goes before one that has a like title.
  static OWN_TITLE = 2;
  // With so few sections at most, like words are looked for too.
  static FEW = 4;
  // Short words have too many neighbors: bert is not best.
  static LIKE = (term) => term.length > 4 && 0.2;
  static LONG = 7;
  static EXCERPT = 180;
  static WORD = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_])+/gu;
  // The parts of LayerNorm, d_model, GPT2.
  static PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu;
  // Chinese is written without spaces: what stands in a text is found by each two signs
  // that are neighbors, and 残 by those that it begins.
  static HAN = /^\p{Script=Han}+$/u;
  static HAS_HAN = /\p{Script=Han}/u;
  // Traditional signs, each before the simplified one that it is read as.
  static TRADITIONAL = new Map(`
    機机 編编 碼码 殘残 連连 續续 則则 歸归 迴回 層层 標标 準准 詞词 頭头 權权 縮缩 點点 積积 網网 絡络 饋馈 參参 數数 學学
    習习 預预 訓训 練练 優优 損损 導导 擴扩 遞递 憶忆 長长 語语 譯译 變变 換换 徵征 維维 義义 關关 係系 對对 應应 單单 雙双
    邊边 徑径 類类 別别 開开 閉闭 門门 專专 線线 狀状 態态 間间 時时 動动 啟启 轉转 個个 這这 樣样 採采 溫温 貪贪 尋寻 緩缓
    衝冲 內内 協协 項项 餘余 圖图 現现 說说 與与 為为 麼么 從从 無无 過过 適适 減减 雜杂 複复 質质 運运 計计 隨随
    問问 題题 輸输 輪轮 測测 試试 聯联 離离 異异 總总 結结 構构 實实 驗验 證证 資资 誤误 識识 視视 覺觉 塊块 獎奖 勵励 評评
    範范 設设 選选 擇择 據据 稱称
  `.trim().split(/\s+/).map((pair) => [...pair]));
  static LETTERS = /\p{Lu}.*\p{Lu}/u;
  static SIGNS = {
    "√": " sqrt ", α: "alpha", β: "beta", γ: "gamma", ε: "epsilon", ϵ: "epsilon",
    θ: "theta", μ: "mu", σ: "sigma", φ: "phi", Φ: "phi", ω: "omega",
  };
  // Words of a question that say nothing of what it is about.
  static PASSED = new Set(
    `why how what when which who do does did can could should would we i me my you from
    between vs so need needs needed use uses used using work works working mean means
    meaning purpose happen happens explain explained explanation define definition
    important example examples tutorial paper algorithm mechanism method technique
    concept best really exactly know`.split(/\s+/),
  );

  static DIFFERENCE = /^differences?$/i;
  // Letters that are joined to a name: k-v is kv.
  static INITIALS = /(?<![\p{L}\p{N}])\p{L}(?:[-‐‑/]\p{L})+(?![\p{L}\p{N}])/gu;
  // A tokenizer is more than a token, and a tokeniser is a tokenizer.
  static MAKES = /^(.{3,}?i)[sz](?:e|ed|er|ers|es|ing|ations?)$/;

  constructor({ Stemmer, pages, sections, groups, absent, ignored }) {
    this.stemmer = new Stemmer();
    this.groups = groups;
    this.absent = absent;
    this.terms = new Map();
    this.passed = new Set([...ignored, ...BookSearch.PASSED]);
    const names = sections.map(() => []);
    for (const [place, ...known] of groups) names[place].push(...known);
    // The topic of a section is that of its page, whose own section stands first.
    let topic;
    this.sections = sections.map(([place, anchor, title, text, code], id) => {
      const [path, page] = pages[place];
      const address = path + (anchor && `#${anchor}`);
      const known = names[id].join(" ");
      if (!anchor) topic = `${page} ${known}`;
      const listed = { names: known, known: names[id] };
      return { id, address, page, topic, title, ...listed, text, code };
    });
    this.titles = this.sections.map(({ title }) => this.key(title));
    this.engine = new MiniSearch({
      fields: Object.keys(BookSearch.BOOST),
      tokenize: (text) => BookSearch.split(text).flatMap(BookSearch.pairs),
      processTerm: (word) => this.listTerms(word),
      searchOptions: {
        boost: BookSearch.BOOST,
        tokenize: (text) => BookSearch.split(text).flatMap(BookSearch.ask),
        processTerm: (word) => this.stem(word),
        prefix: (term) => term.length > 2 || BookSearch.HAN.test(term),
      },
    });
    this.engine.addAll(this.sections);
  }

  static split(text) {
    const sign = (letter) => BookSearch.SIGNS[letter] ?? letter;
    const plain = text.normalize("NFKC").replace(/[’']s\b/g, "");
    return plain.replace(/[√Α-ωϵ]/g, sign).match(BookSearch.WORD) ?? [];
  }

  // The pairs of neighbors in a Chinese word, and its last sign; another word as it is.
  static pairs(word) {
    if (!BookSearch.HAN.test(word)) return [word];
    return [...word].map((sign, i, signs) => sign + (signs[i + 1] ?? ""));
  }

  // What a word of a query asks for: of a longer Chinese word its pairs alone.
  static ask(word) {
    const pairs = BookSearch.pairs(word);
    return pairs.length > 1 ? pairs.slice(0, -1) : pairs;
  }

  static weigh(address, query) {
    if (BookSearch.API.test(address) && BookSearch.NAME_OF_CODE.test(query)) return 0.5;
    return BookSearch.WEIGHTS.find(([pattern]) => pattern.test(address))?.[1] ?? 1;
  }

  // Words that say nothing of what is looked for.
  passes(word) {
    return this.passed.has(word.toLowerCase());
  }

  // The words of a query that say what is looked for; all of them if none does.
  listAsked(query) {
    const words = BookSearch.split(query);
    const asked = words.filter((word) => !this.passes(word));
    const things = asked.filter((word) => !BookSearch.DIFFERENCE.test(word));
    return [things, asked, words].find((list) => list.length) ?? [];
  }

  stem(word) {
    const [, start] = BookSearch.MAKES.exec(word.toLowerCase()) ?? [];
    return start ? `${start}z` : this.stemmer.stemWord(word.toLowerCase());
  }

  // The stems of the words of a text, as one text.
  key(text) {
    return BookSearch.split(text).map((word) => this.stem(word)).join(" ");
  }

  // A word of the book is found as it is, by its stem and by its parts.
  listTerms(word) {
    if (!this.terms.has(word)) {
      const words = [word, ...(word.match(BookSearch.PARTS) ?? [])];
      const terms = words.flatMap((part) => [part.toLowerCase(), this.stem(part)]);
      this.terms.set(word, [...new Set(terms)]);
    }
    return this.terms.get(word);
  }

  // The sections for a query, best first, each with the terms that led to it and the way:
  // it has all "words", or has them with the "topic" of its page, or has another of the
  // "names" of the thing, or "like" words, or "some"; or it is the "nearest" to what the
  // book does not treat.
  search(typed) {
    const join = (letters) => letters.replace(/[-‐‑/]/g, "");
    const simplify = (sign) => BookSearch.TRADITIONAL.get(sign) ?? sign;
    const query = [...typed.replace(BookSearch.INITIALS, join)].map(simplify).join("");
    const { first, others } = this.findNames(query);
    const found = new Map();
    const keep = (id, way, terms = []) => {
      const known = found.get(id);
      const isNearest = known?.way === "nearest";
      if (!known?.terms.length) found.set(id, { way: isNearest ? "nearest" : way, terms });
    };
    const isOwn = (id) => this.titles[id] === this.key(query);
    const boostDocument = (id) =>
      BookSearch.weigh(this.sections[id].address, query)
      * (isOwn(id) ? BookSearch.OWN_TITLE : 1);
    const asked = this.listAsked(query).join(" ");
    // Who types no Chinese is shown none.
    const isRead = BookSearch.HAS_HAN.test(query);
    const filter = ({ id }) => isRead || !this.sections[id].address.startsWith("zh/");
    const add = (words, way, options) => {
      const found = this.engine.search(words, { boostDocument, filter, ...options });
      for (const one of found) {
        const isOfPage = way === "words" && !BookSearch.hasWords(one);
        keep(one.id, isOfPage ? "topic" : way, one.terms);
      }
    };
    const nearest = first === undefined ? this.findAbsent(query) : undefined;
    if (nearest !== undefined) keep(nearest, "nearest");
    if (first !== undefined) keep(first, "names");
    const whole = nearest === undefined ? {} : { prefix: false };
    add(asked, "words", { combineWith: "AND", ...whole });
    for (const words of others) add(words, "names", { combineWith: "AND" });
    if (!found.size) {
      const meant = this.findLike(query);
      if (meant !== undefined) keep(meant, "like");
    }
    const more = nearest === undefined ? [["like", "AND"], ["some", "OR"]] : [];
    for (const [way, combineWith] of more) {
      if (found.size > BookSearch.FEW) break;
      add(asked, way, { combineWith, fuzzy: BookSearch.LIKE });
    }
    return [...found].map(([id, how]) => ({ ...this.sections[id], ...how }));
  }

  // Whether a section has the words itself, and not only the title of its page.
  static hasWords({ queryTerms, match }) {
    const own = Object.keys(match).filter((term) => match[term].some((at) => at !== "topic"));
    return queryTerms.every((word) => own.some((term) => term.startsWith(word)));
  }

  // The section that is nearest to what a query names and the book does not treat.
  findAbsent(query) {
    const isMeant = (name) => this.key(name) === this.key(query);
    return this.absent.find(([, ...names]) => names.some(isMeant))?.[0];
  }

  // The section whose name is most like a query, with less than a quarter of other letters,
  // or two in a long word.
  findLike(query) {
    const most = query.length < BookSearch.LONG ? 0 : 2.5;
    let [section, least] = [undefined, Math.max(most, query.length / 4)];
    for (const [place, ...names] of this.groups) {
      for (const name of names) {
        const distance = BookSearch.distance(query.toLowerCase(), name.toLowerCase());
        if (distance < least) [section, least] = [place, distance];
      }
    }
    return section;
  }

  // How many letters must be put in, left out or exchanged to get from one to another.
  static distance(one, other) {
    let row = Array.from({ length: other.length + 1 }, (_, j) => j);
    for (const [i, letter] of [...one].entries()) {
      const next = [i + 1];
      for (let j = 0; j < other.length; j += 1) {
        const exchanged = row[j] + (letter !== other[j]);
        next.push(Math.min(exchanged, row[j + 1] + 1, next[j] + 1));
      }
      row = next;
    }
    return row.at(-1);
  }

  // The section that a query names, and the query with the other names of a thing in it.
  // Within a longer query only letters such as FFN stand for a thing: attention does not.
  // A long name in it leads to its section, if that has the other words too, and the
  // longest of the Chinese names in it to its own.
  findNames(query) {
    const split = (text) => BookSearch.split(text).filter((word) => !this.passes(word));
    const key = (list) => ` ${list.map((word) => this.stem(word)).join(" ")} `;
    const solid = (list) => list.join("").toLowerCase();
    const words = split(query);
    const typed = solid(words);
    const isHan = BookSearch.HAN.test(typed);
    const hasHan = BookSearch.HAS_HAN.test(typed);
    const others = [];
    let first, asOne, begun;
    let held = { length: 1 };
    let within = { place: this.findTitle(query), length: 1 };
    for (const [place, ...names] of this.groups) {
      const known = names.map(split).filter((name) => name.length);
      const whole = known.find((name) => key(name) === key(words));
      if (whole) first ??= place;
      if (known.some((name) => solid(name) === typed)) asOne ??= place;
      if (isHan && known.some((name) => solid(name).startsWith(typed))) begun ??= place;
      const isHeld = (name) => BookSearch.HAN.test(name) && typed.includes(name);
      for (const name of hasHan ? known.map(solid).filter(isHeld) : []) {
        const at = typed.indexOf(name);
        const isEarlier = name.length === held.length && at < held.at;
        if (name.length > held.length || isEarlier) {
          held = { place, length: name.length, at };
        }
      }
      const long = known.find((name) => this.isAnswer(place, key(name), key(words)));
      if (long?.length > within.length) within = { place, length: long.length };
      const isShort = ([word, ...more]) => !more.length && BookSearch.LETTERS.test(word);
      const isPart = (name) => isShort(name) && key(words).includes(key(name));
      const name = whole ?? known.find(isPart);
      if (!name) continue;
      const start = words.findIndex((_, i) => key(words.slice(i)).startsWith(key(name)));
      for (const other of known.filter((one) => one !== name)) {
        others.push(words.toSpliced(start, name.length, ...other).join(" "));
      }
    }
    return { first: first ?? asOne ?? begun ?? held.place ?? within.place, others };
  }

  // Whether a name of some words stands in a query, and what else is asked in its section.
  isAnswer(place, name, asked) {
    if (!asked.includes(name)) return false;
    const { title, topic, text } = this.sections[place];
    const said = ` ${this.key(`${title} ${topic} ${text}`)} `;
    const more = asked.replace(name, " ").trim();
    return more.split(" ").every((word) => !word || said.includes(` ${word}`));
  }

  // The section whose title is the query, if there is one.
  findTitle(query) {
    const [first, last] = ["indexOf", "lastIndexOf"].map((way) => this.titles[way](this.key(query)));
    return first === last && first >= 0 ? first : undefined;
  }

  // Part of the text of a section around the terms.
  static excerpt({ address, text, terms }) {
    return BookSearch.cut(text, terms, BookSearch.GLOSSARY.test(address));
  }

  // What led to a section where the terms stand in none of its sentences: another name
  // of it, or a name in its code. The words before it, and it.
  static label({ title, page, text, known, code, terms }) {
    const has = (words) => BookSearch.find(words, terms).length > 0;
    if ([text, title, page].some(has)) return undefined;
    const name = known.find(has);
    if (name) return ["also found as", name];
    const inCode = code.split(" ").find(has);
    return inCode && ["in its code", inCode];
  }

  // Where the terms begin a word of a text, or two or more of their Chinese signs stand.
  static find(text, terms) {
    const isHan = (term) => BookSearch.HAN.test(term);
    const signs = terms.filter(isHan).join("");
    const escaped = terms
      .filter((term) => !isHan(term))
      .map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const sources = [
      escaped.length && `(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})[\\p{L}\\p{N}]*`,
      signs && `[${signs}]{${Math.min(2, signs.length)},}`,
    ].filter(Boolean);
    return sources.length ? [...text.matchAll(new RegExp(sources.join("|"), "giu"))] : [];
  }

  // Part of a text around the terms, or its start, as pairs of words and whether they are
  // a term.
  static cut(text, terms, isStart = false) {
    const matches = BookSearch.find(text, terms);
    const within = (start) => (match) =>
      match.index >= start && match.index + match[0].length <= start + BookSearch.EXCERPT;
    // From the start of a sentence, where most of the terms stand.
    const ends = [...text.matchAll(/[.?!:] (?=\S)|[。？！](?=\S)/g)];
    const sentences = [0, ...ends.map((end) => end.index + end[0].length)];
    const near = matches.map(({ index }) => text.lastIndexOf(" ", index - 40) + 1);
    const starts = isStart ? [0] : [...sentences, ...near];
    const likeness = ([word]) => word.slice(0, 4).toLowerCase();
    const count = (start) => new Set(matches.filter(within(start)).map(likeness)).size;
    const begin = starts.reduce((best, next) => (count(next) > count(best) ? next : best));
    const isLong = text.length > begin + BookSearch.EXCERPT;
    const space = text.lastIndexOf(" ", begin + BookSearch.EXCERPT);
    const full = space > begin + BookSearch.EXCERPT / 2 ? space : begin + BookSearch.EXCERPT;
    const end = isLong ? full : text.length;
    const parts = [];
    let place = begin;
    for (const match of matches.filter(within(begin))) {
      parts.push([text.slice(place, match.index), false], [match[0], true]);
      place = match.index + match[0].length;
    }
    parts.push([text.slice(place, Math.max(place, end)) + (isLong ? " …" : ""), false]);
    return parts.filter(([words]) => words);
  }
}
