// Recognises the names that files and callers give to card types: wire names, the codes of travel systems, and what
// payment providers and hotels export, such as `VISA DEBIT`, `AMEX CORPORATE` and `ECMC-SSL`.

import { CARD_TYPES, type CardType, type CardTypeIndex, isTypePlausible, rowsOf } from '../brand.ts';

/**
 * The names of each card type, besides its wire name. Two capital letters are a code that travel systems write before a
 * number: those of shapes §2 and formats §1, those of the Open Travel Alliance (DN, MA, VE, CU) and those for debit cards
 * (MD, VD). The other names are only looked for where a type is named. A dash stands for names of no type of ours: German
 * banks call their own cards EC.
 */
const NAMES = `
AMEX AX americanexpress americanexp amexpress amerexpress amerexp amexp amerex amx axp ae a x; BC BC; Dankort visadankort; Delta VD visadelta
DinersClub DC DN diners diner dinerclub carteblanche din dci dcc cbl; Discover DS disc dis di d r dsc dcvr novus; Electron VE visaelectron uke
Hipercard hiper; JCB JC JB j japancreditbureau; Maestro TO MA maestrouk mcmaestro mau mae; MasterCard CA MC IK EC MD master eurocard ecmc mcard mcrd mstr mast mas masterc mastercrd mci eca m
Switch SW solo sd; UATP TP airplus uap airtravelcard universalairtravelplan; UnionPay UP CU cup upi cd cnup chinaunionpay; Visa VI cartebleue vpay vis vsa visanet va vs bl vp v; Mir мир nspk
CartesBancaires CB cartebancaire; Unspecified XS; - eckarte eccard eccash`;

/** Words that say what kind of card it is, whose it is or how it is paid with, but not its brand, in several languages. */
const QUALIFIERS =
	`credit debit prepaid charge card cards bank payment pay network corporate corp commercial business biz company
	purchasing purchase procurement fleet travel lodge virtual vcc physical personal consumer platinum gold silver
	classic standard premium premier signature infinite world elite black select preferred plus rewards super small
	reloadable single multi use b2b international intl national domestic uk us usa eu gb ssl apple google samsung kredit
	kreditkarte debitkarte karte firmen firmenkarte firmenkreditkarte geschaftskarte guthaben virtuelle carte cartes
	bancaire bancaires de du la le affaires entreprise prepayee tarjeta credito debito corporativa corporativo empresa
	empresas empresarial prepago carta di prepagata aziendale virtuale cartao pre pago kaart zakelijk karta kredytowa
	debetowa kort`.split(/\s+/);
const QUALIFIER_WORDS = new Set(QUALIFIERS);
/** Shorter qualifiers count only as words of their own. */
const SHORTEST_GLUED = 3;
const GLUED = QUALIFIERS.filter(({ length }) => length >= SHORTEST_GLUED).join('|');
/** Finds what is left of a word without the qualifiers glued to it: `visadebit`, `mccommercialcredit`. */
const WITHOUT_GLUED = new RegExp(`^(?:${GLUED})*(.*?)(?:${GLUED})*$`);
const LONGEST_NAME = 64;
const MOST_JOINED = 3;
/** Beside a name of at most this many letters no unknown word may stand: a short one may mean something else there. */
const LONGEST_SHORT = 3;

const TYPES = new Map<string, CardTypeIndex | undefined>();
const codes: string[] = [];
for (const [type, ...names] of rowsOf(NAMES)) {
	const index = type === '-' ? undefined : CARD_TYPES.indexOf(type as CardType);
	for (const name of names) {
		TYPES.set(name.toLowerCase(), index);
		if (/^[A-Z]{2}$/.test(name)) codes.push(name);
	}
}
for (const [index, type] of CARD_TYPES.entries()) TYPES.set(type.toLowerCase(), index);

/** The two-letter codes of card networks, for scanners that accept only known codes. */
export const GDS_CARD_CODES: readonly string[] = codes;

/**
 * Finds the card type that a caller or a file names, whatever else the name says of the card. Returns undefined if it
 * names no type of ours (`Corporate`), or two that are not on one card.
 */
export function findCardType(name: string): CardTypeIndex | undefined {
	const plain = name
		.slice(0, LONGEST_NAME)
		.normalize('NFD')
		.toLowerCase()
		.replace(/[\p{M}'’`´]/gu, '');
	const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
	const whole = words.join('');
	if (TYPES.has(whole)) return TYPES.get(whole);
	let found: CardTypeIndex | undefined;
	let isShort = false;
	let hasUnknown = false;
	for (let at = 0; at < words.length; ) {
		const unit = readUnit(words, at);
		at += unit.words;
		isShort ||= unit.isShort;
		hasUnknown ||= unit.isUnknown;
		if (unit.type === undefined || unit.type === found) continue;
		if (found === undefined || isTypePlausible(unit.type, found)) found = unit.type;
		else if (!isTypePlausible(found, unit.type)) return undefined;
	}
	return isShort && hasUnknown ? undefined : found;
}

/** Reads the longest name of a type that begins with the word at `at`, or else this word alone. */
function readUnit(words: readonly string[], at: number) {
	for (let count = Math.min(MOST_JOINED, words.length - at); count > 0; count--) {
		const joined = words.slice(at, at + count).join('');
		// A single letter is a type only if nothing else is there.
		if (joined.length === 1) continue;
		for (const core of [joined, WITHOUT_GLUED.exec(joined)?.[1] ?? '']) {
			const type = core.length > 1 ? TYPES.get(core) : undefined;
			if (type !== undefined) return { type, words: count, isShort: core.length <= LONGEST_SHORT, isUnknown: false };
		}
	}
	const word = words[at];
	const isQualifier = QUALIFIER_WORDS.has(word) || /^\p{N}+$/u.test(word) || WITHOUT_GLUED.exec(word)?.[1] === '';
	return { type: undefined, words: 1, isShort: false, isUnknown: !isQualifier };
}
