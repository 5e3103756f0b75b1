/* Numbers below a million as words: what `transformer.data.numerals` writes and reads. */
(() => {
"use strict";

const ENGLISH = ("zero one two three four five six seven eight nine ten eleven twelve "
  + "thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split(" ");
const ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const FRENCH = ("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize "
  + "quatorze quinze seize dix-sept dix-huit dix-neuf").split(" ");
// Seventy is sixty and ten, ninety is eighty and ten.
const FRENCH_TENS = ("vingt trente quarante cinquante soixante soixante quatre-vingt "
  + "quatre-vingt").split(" ");
const DIGITS = /^(0*\d{1,6}|\d{1,3},\d{3})$/;

function split(number, by) {
  return [Math.floor(number / by), number % by];
}

/* A number in English words: 42 is "forty-two", 1001 "one thousand and one". */
function english(number) {
  const [thousands, rest] = split(number, 1000);
  if (!thousands) return englishBelowThousand(rest);
  const joint = rest < 100 ? " and " : " ";
  return `${englishBelowThousand(thousands)} thousand`
    + (rest ? joint + englishBelowThousand(rest) : "");
}

function englishBelowThousand(number) {
  if (number < 20) return ENGLISH[number];
  const [tens, ones] = split(number, 10), [hundreds, rest] = split(number, 100);
  if (!hundreds) return ENGLISH_TENS[tens - 2] + (ones ? `-${ENGLISH[ones]}` : "");
  return `${ENGLISH[hundreds]} hundred` + (rest ? ` and ${englishBelowThousand(rest)}` : "");
}

/* A number in French words, as they are written in France by tradition. */
function french(number) {
  const [thousands, rest] = split(number, 1000);
  if (!thousands) return frenchBelowThousand(rest);
  const many = thousands > 1 ? `${frenchBelowThousand(thousands, false)} ` : "";
  return `${many}mille` + (rest ? ` ${frenchBelowThousand(rest)}` : "");
}

/* `last` is whether nothing follows: "deux cents" and "quatre-vingts" end in s then. */
function frenchBelowThousand(number, last = true) {
  const [hundreds, rest] = split(number, 100), mark = last ? "s" : "";
  if (!hundreds) return frenchBelowHundred(rest, mark);
  const words = hundreds > 1 ? `${FRENCH[hundreds]} cent` : "cent";
  if (rest) return `${words} ${frenchBelowHundred(rest, mark)}`;
  return hundreds > 1 ? words + mark : words;
}

function frenchBelowHundred(number, mark) {
  if (number < 20) return FRENCH[number];
  let [tens, ones] = split(number, 10);
  const words = FRENCH_TENS[tens - 2];
  if (tens === 7 || tens === 9) ones += 10;
  if (!ones) return tens === 8 ? words + mark : words;
  return words + ([1, 11].includes(ones) && tens < 8 ? " et " : "-") + FRENCH[ones];
}

/* English words without what may be missing between them. */
function spoken(text) {
  return text.toLowerCase().replace(/([a-z])-(?=[a-z])/g, "$1 ").trim()
    .replace(/\s+/g, " ").replace(/(hundred|thousand) and (?!hundred|thousand)/g, "$1 ");
}

const below = new Map(Array.from({ length: 1000 }, (_, n) => [spoken(english(n)), n]));

/* The number that English words make; null if they make none. */
function read(text) {
  const [before, after, ...more] = ` ${spoken(text)} `.split(" thousand ");
  if (after === undefined) return below.get(before.trim()) ?? null;
  const thousands = below.get(before.trim()), rest = after.trim();
  const ones = rest ? below.get(rest) : 0;
  if (!thousands || more.length || (rest && !ones)) return null;
  return 1000 * thousands + ones;
}

/* A number that is said in hundreds, such as twelve hundred and six, as `english` writes
it; null if a text is no such number. */
function respelled(text) {
  const [hundreds, rest = "", ...more] = `${spoken(text)} `.split(" hundred ");
  const [many, few] = [below.get(hundreds), rest ? below.get(rest.trim()) : 0];
  return many > 10 && many < 100 && few < 100 && !more.length
    ? english(100 * many + few) : null;
}

/* A text in words, if it is digits such as 42 or 1,234; any other as it is. */
function inWords(text) {
  const said = text.trim().replace(/[.!?]+$/, "");
  return DIGITS.test(said) ? english(Number(said.replace(",", ""))) : text;
}

/* How many letters must come, go or change to make one word of another. */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, same] of [...other].entries()) {
      next.push(Math.min(row[j] + (letter !== same), row[j + 1] + 1, next[j] + 1));
    }
    row = next;
  }
  return row.at(-1);
}

/* The number word that a misspelled one is most like; null if more than two letters or
half of them differ. */
function meant(word) {
  const [least, nearest] = [...ENGLISH, ...ENGLISH_TENS, "hundred", "thousand"]
    .map((known) => [distance(word, known), known]).sort(([a], [b]) => a - b)[0];
  return least < Math.min(3, word.length / 2) ? nearest : null;
}

const parted = (words) => new Set(words.flatMap((word) => word.split("-")));
const IN_ENGLISH = parted([...ENGLISH, ...ENGLISH_TENS, "hundred", "thousand", "and"]);
const IN_FRENCH = parted([...FRENCH, ...FRENCH_TENS, "vingts", "cent", "cents", "mille", "et"]);

/* Whether a text is in French words, and not in those that are English as well. */
function isFrench(text) {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.every((word) => IN_FRENCH.has(word))
    && words.some((word) => !IN_ENGLISH.has(word));
}

globalThis.bookNumbers = { english, french, read, respelled, inWords, meant, isFrench };
})();
