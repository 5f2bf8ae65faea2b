import iconv from "iconv-lite";

/** An old encoding, the letters that text in it mostly holds, and how its words are made. */
interface Candidate {
  readonly encoding: string;
  /** The commonest letters beyond ASCII, of all languages written in it. */
  readonly common: string;
  /** `apart`: its letters make words of their own. `within`: they stand among Latin letters. `signs`: no words. */
  readonly words: "apart" | "within" | "signs";
}

const CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхіїє";
const KANA = "のにはをたがでてとしれさあいうるなもかりまこスンルトーアイクリ日本人年大。、";
const SIMPLIFIED =
  "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处";
const TRADITIONAL =
  "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天政四日那社義事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但質氣第向道命此變條只沒結解問意建月公無系軍很情者最立代想已通並提直題";
const KOREAN = "이다는에의을가고하를은지한도로서기사대인자시어정리나아일해그스라부전수상있제만주여";

const CANDIDATES: readonly Candidate[] = [
  { encoding: "shift_jis", common: KANA, words: "signs" },
  { encoding: "euc-jp", common: KANA, words: "signs" },
  { encoding: "gb18030", common: SIMPLIFIED, words: "signs" },
  { encoding: "big5", common: TRADITIONAL, words: "signs" },
  { encoding: "euc-kr", common: KOREAN, words: "signs" },
  { encoding: "windows-1251", common: CYRILLIC, words: "apart" },
  { encoding: "koi8-r", common: CYRILLIC, words: "apart" },
  { encoding: "iso-8859-5", common: CYRILLIC, words: "apart" },
  { encoding: "ibm866", common: CYRILLIC, words: "apart" },
  { encoding: "windows-1253", common: "αοιετσνηυρπκμλςωάόίέήύδγθχ", words: "apart" },
  { encoding: "windows-1255", common: "יוהלאתרבשמנכחעפדגק", words: "apart" },
  { encoding: "windows-1256", common: "اليمونرتبةعدسفهكقحجشطصخأإ", words: "apart" },
  { encoding: "windows-874", common: "านรอกเงมยลวดทสตะปบคหแจพชขใไโ่้ัิีืุูำ์็", words: "apart" },
  // Before its neighbours, which read most of its letters the same: of equals the first is taken.
  { encoding: "windows-1252", common: "éèêàâçùûîïôœæøåäöüßñóáíúãõÄÖÜ¿¡«»“”‘’–—…•°©®€£", words: "within" },
  { encoding: "windows-1250", common: "áéíóúýěščřžůťďňąęłśżźćńőűöüäđțșşţăâî", words: "within" },
  { encoding: "windows-1254", common: "ıİşŞğĞçÇöÖüÜ", words: "within" },
  { encoding: "windows-1257", common: "āēīūčšžģķļņąęėįųõäöü", words: "within" },
];

/** How much text is looked at. */
const MAX_SAMPLE_BYTES = 16_384;
/** A guess must explain at least this share of the letters. */
const MIN_SCORE = 0.3;

/**
 * Guesses the old encoding of bytes that declare none and are not UTF-8: each is tried, and the one under which most
 * letters are those that its languages use most, in words as they write them, is taken. Undefined when none fits.
 */
export function guessEncoding(bytes: Uint8Array): string | undefined {
  const sample = sampleOf(bytes);
  let best: { readonly encoding: string; readonly score: number } | undefined;
  for (const candidate of CANDIDATES) {
    const score = scoreOf(candidate, iconv.decode(sample, candidate.encoding));
    if (score >= MIN_SCORE && score > (best?.score ?? 0)) best = { encoding: candidate.encoding, score };
  }
  return best?.encoding;
}

/** From a little before the first byte beyond ASCII. */
function sampleOf(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte > 127);
  const start = Math.max(0, first - 64);
  const slice = bytes.subarray(start, start + MAX_SAMPLE_BYTES);
  return Buffer.from(slice.buffer, slice.byteOffset, slice.byteLength);
}

/** From about -1 (nonsense) to 1 (every letter beyond ASCII is a common one in its place). */
function scoreOf(candidate: Candidate, text: string): number {
  const common = new Set(candidate.common);
  let [letters, points] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 128) continue;
    letters += 1;
    const character = text.charAt(index);
    if (code === 0xfffd || code < 160 || (code >= 0xe000 && code <= 0xf8ff) || (code >= 0xff61 && code <= 0xff9f))
      points -= 2;
    else if (!fits(candidate, text, index)) points -= 0.5;
    else if (common.has(character)) points += 1;
    else if (common.has(character.toLowerCase())) points += 0.6;
    else if (!/[\p{L}\p{M}\p{P}\p{S}\p{Z}\p{N}]/u.test(character)) points -= 1;
    else if (/\p{L}/u.test(character)) points += candidate.words === "signs" ? 0.25 : 0.1;
  }
  // Bytes that all pair up under an encoding of pairs hardly do so by chance.
  const bonus = candidate.words === "signs" && letters > 8 && !text.includes("\ufffd") ? 0.2 : 0;
  return letters === 0 ? 0 : points / letters + bonus;
}

/** Whether a letter stands where words of this writing have it: beside its own kind, capitals only in front. */
function fits(candidate: Candidate, text: string, index: number): boolean {
  if (candidate.words === "signs") return true;
  const character = text.charAt(index);
  if (!/\p{L}/u.test(character)) return true;
  const before = text.charAt(index - 1);
  const isCapital = character !== character.toLowerCase();
  const afterSmall = before !== before.toUpperCase() && /\p{L}/u.test(before);
  if (isCapital && afterSmall) return false;
  return candidate.words === "within" || !/[A-Za-z]/.test(before + text.charAt(index + 1));
}
