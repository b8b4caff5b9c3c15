// Made of src/work/cardholders/forms/judge-fields.ts by `npm run generate:card-rules`; a test compares. Not to be edited.
// @ts-nocheck
import { Buffer } from './buffer.js';
let made;
const rules = () => (made ??= makeRules());
function makeRules() {
const digitTextModule = (() => {
const BYTE = { OTHER: 0, DIGIT: 1, SEPARATOR: 2, HIGH: 3 };
const BYTE_CLASS = new Uint8Array(256);
BYTE_CLASS.fill(BYTE.HIGH, 0x80);
BYTE_CLASS.fill(BYTE.DIGIT, 0x30, 0x3a);
for (const separator of Buffer.from(' -.')) BYTE_CLASS[separator] = BYTE.SEPARATOR;
const WIDE_SEPARATOR = /[\p{Zs}\p{Zl}\p{Zp}\p{Cf}\p{Pd}\p{Variation_Selector}\x85\uff0e]/u;
const NBSP = 0xa0;
const isLatinSeparator = (byte) => byte === NBSP || byte === 0x96 || byte === 0x97;
const SEPARATOR_CODE = 100;
const WIDE_UNITS = new Map ();
const WIDE_LEADS = new Uint8Array(256);
function addWideUnit(character, code) {
	const bytes = Buffer.from(character);
	WIDE_UNITS.set(
		bytes.reduce((key, byte) => key * 256 + byte, 0),
		code,
	);
	WIDE_LEADS[bytes[0]] = 1;
}
const isDecimal = (code) => /\p{Nd}/u.test(String.fromCodePoint(code));
for (let code = 0x80; code <= 0x1fbff;) {
	if (code >= 0x3000 && code < 0xa000) code = 0xa000;
	else if (code >= 0xac00 && code < 0xf900) code = 0xf900;
	if (!isDecimal(code + 9)) code += 10;
	else if (!isDecimal(code)) code++;
	else for (let value = 0; value < 10; value++) addWideUnit(String.fromCodePoint(code++), value);
}
for (let code = 0x80; code < 0x10000; code++) {
	if (code === 0x3100 || code === 0xac00) code = code === 0x3100 ? 0xa000 : 0xf900;
	const character = String.fromCharCode(code);
	if (WIDE_SEPARATOR.test(character)) addWideUnit(character, SEPARATOR_CODE);
}
const UNIT = { NONE: 0, DIGIT: 1, SEPARATOR: 2 };
class DigitReader {
	width = 0;
	digit = 0;
	read(bytes, at, end) {
		const byte = bytes[at];
		this.width = 1;
		if (byte < 0x80) return this.#ascii(byte);
		const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
		const unit = length > 1 && WIDE_LEADS[byte] === 1 && at + length <= end ? this.#wide(bytes, at, length) : UNIT.NONE;
		if (unit !== UNIT.NONE) return unit;
		this.width = 1;
		return isLatinSeparator(byte) ? UNIT.SEPARATOR : UNIT.NONE;
	}
	readBefore(bytes, at, start) {
		if (at <= start) return UNIT.NONE;
		const byte = bytes[at - 1];
		this.width = 1;
		if (byte < 0x80) return this.#ascii(byte);
		for (let length = 2; length <= 4 && at - length >= start; length++) {
			const lead = bytes[at - length];
			if (lead < 0xc2) continue;
			const isWhole = (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2) === length;
			const unit = isWhole && WIDE_LEADS[lead] === 1 ? this.#wide(bytes, at - length, length) : UNIT.NONE;
			if (unit !== UNIT.NONE || isWhole) return unit;
			break;
		}
		this.width = 1;
		return isLatinSeparator(byte) ? UNIT.SEPARATOR : UNIT.NONE;
	}
	#ascii(byte) {
		const kind = BYTE_CLASS[byte];
		if (kind === BYTE.DIGIT) this.digit = byte;
		return kind === BYTE.DIGIT ? UNIT.DIGIT : kind === BYTE.SEPARATOR ? UNIT.SEPARATOR : UNIT.NONE;
	}
	#wide(bytes, at, length) {
		let key = 0;
		for (let i = at; i < at + length; i++) key = key * 256 + bytes[i];
		const code = WIDE_UNITS.get(key);
		if (code === undefined) return UNIT.NONE;
		this.width = length;
		if (code === SEPARATOR_CODE) return UNIT.SEPARATOR;
		this.digit = 0x30 + code;
		return UNIT.DIGIT;
	}
}
return { BYTE, BYTE_CLASS, UNIT, DigitReader };
})();
const asciiDigitsModule = (() => {
const DigitReader = digitTextModule.DigitReader;
const reader = new DigitReader();
function asciiDigits(text) {
	return text.replace(/\p{Nd}/gu, (character) => {
		const bytes = Buffer.from(character);
		reader.read(bytes, 0, bytes.length);
		return String.fromCharCode(reader.digit);
	});
}
return { asciiDigits };
})();
const brandModule = (() => {
const CARD_TYPES = [
	...(['Unspecified', 'AMEX', 'BC', 'CartaSi', 'Dankort', 'Delta', 'DinersClub', 'Discover', 'Electron']),
	...(['Elo', 'enRoute', 'Hipercard', 'JCB', 'Maestro', 'MasterCard', 'Switch', 'Troy', 'UATP']),
	...(['UnionPay', 'Visa', 'Mir', 'RuPay', 'Verve', 'Mada', 'CartesBancaires', 'Uzcard', 'Humo']),
	...(['Napas', 'PayPak', 'ArCa', 'Belkart', 'Prostir']),
];
const RANGES = `
Elo+Visa 16 401178-401179 431274 438935 451416 457393 457631-457632
Elo 16 504175 506699-506778 509 627780 636297 636368; Verve 16,18-19 506099-506198 507865-507964 650002-650027
Troy 16 650052 650082-650083 650092 650161 650170 650173 650175 650268 650271 650273-650274 650456-650457 650836
Troy 16 650846-650850 650923 650987 650990 654997 657366 657998 658758 658767-658768 9792
Elo 16 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727
Elo 16 650901-650978 651652-651679 655000-655019 655021-655058
Hipercard 16 606282 637095 637568 637599 637609 637612; Hipercard 16,19 3841
RuPay 16 508227 5085-5089 603741 606985-607984 608001-608500 652150-653149 8172-8299
Visa+Mada 16 400861 401757 407197 407395 409201 410685 417633 419593 422817-422819 428331 428671-428673 431361
Visa+Mada 16 432328 434107 437980 439954 439956 440533 440647 440795 445564 446393 446404 446672 455036 455708
Visa+Mada 16 457865 458456 462220 468540-468543 483010-483012 484783 486094-486096 489317 489319 490980 493428
MasterCard+Mada 16 521076 524514 527016 529415 529741 530906 531095 532013 535825 535989 536023 537767 539931
MasterCard+Mada 16 543085 543357 549760 557606 558848; Mada 16 9682
Maestro+Mada 16 504300 508160 585265 588845-588851 588982-588983 589005 589206 604906 605141 636120
Dankort 16 5019; Visa+Dankort 16 4571; enRoute 15 2014 2149; AMEX 15 34 37; JCB 15 1800 2131; JCB 16-19 3528-3589
DinersClub 14-19 300-305 3095 36 38-39; UnionPay+Discover 16-19 622126-622925; UnionPay 14-19 62 810-8171
Discover 16-19 6011 644-649 65; Mir 16-19 2200-2204; PayPak 16 2205; MasterCard 16 2221-2720 51-55
Uzcard 16 8600; ArCa 16 9051; Belkart 16 9112; Napas 16,19 9704; Prostir 16 9804; Humo 16 9860
Switch 18-19 490302-490335; Switch 16,18-19 633110-633349; Maestro 12-19 50 56-58 6
Visa 13,16,18-19 4; UATP 15 1`;
const ALSO = `
Electron Visa; Delta Visa; CartaSi Visa MasterCard; Dankort Visa; Elo Visa Maestro Discover; Switch Maestro
Hipercard Maestro DinersClub; Maestro MasterCard Switch RuPay Verve; Troy Discover MasterCard; enRoute DinersClub
Discover DinersClub UnionPay JCB Elo Troy RuPay Verve; DinersClub MasterCard Discover; UnionPay Maestro Discover
BC Visa MasterCard JCB UnionPay DinersClub AMEX Maestro; UATP JCB; Mir Maestro MasterCard UnionPay JCB AMEX
RuPay Maestro Discover JCB UnionPay; Verve Maestro Discover MasterCard Visa; Mada Visa MasterCard Maestro
CartesBancaires Visa MasterCard Maestro DinersClub Discover; Uzcard Maestro MasterCard UnionPay Visa
Humo Maestro MasterCard UnionPay Visa; Napas Visa MasterCard JCB; PayPak MasterCard JCB UnionPay
ArCa Visa MasterCard Maestro Mir; Belkart Maestro MasterCard Mir UnionPay; Prostir Visa MasterCard`;
const LABELS = {
	AMEX: 'American Express',
	BC: 'BC Card',
	CartesBancaires: 'Cartes Bancaires',
	Delta: 'Visa Delta',
	DinersClub: 'Diners Club',
	Electron: 'Visa Electron',
	Mada: 'mada',
	MasterCard: 'Mastercard',
	Napas: 'NAPAS',
};
function brandLabel(type) {
	return LABELS[type] ?? type;
}
const rowsOf = (table) =>
	table
		.trim()
		.split(/\n|; /)
		.map((row) => row.split(' '));
function indexOf(type) {
	const index = CARD_TYPES.indexOf(type);
	if (index === -1) throw new Error(`internal error: ${type} is no card type`);
	return index;
}
function endsOf(text) {
	const [first, last = first] = text.split('-');
	return [first, last];
}
function lengthBits(text) {
	const [least, most] = endsOf(text).map(Number);
	return (2 << most) - (1 << least);
}
const BRAND_RANGES = rowsOf(RANGES).flatMap(([types, lengthText, ...prefixes]) => {
	const [index, second] = types.split('+').map(indexOf);
	const lengths = lengthText.split(',').reduce((bits, text) => bits | lengthBits(text), 0);
	return prefixes.map((prefix) => {
		const [from, to] = endsOf(prefix).map((end, i) => Number(end.padEnd(6, i === 0 ? '0' : '9')));
		return { type: CARD_TYPES[index], second: CARD_TYPES[second], from, to, lengths, index };
	});
});
const RANGES_BY_PREFIX = Array.from({ length: 1000 }, () => []);
for (const range of BRAND_RANGES) {
	const last = Math.floor(range.to / 1000);
	for (let prefix = Math.floor(range.from / 1000); prefix <= last; prefix++) RANGES_BY_PREFIX[prefix].push(range);
}
const FEWEST_DIGITS = 12;
const MOST_DIGITS = 19;
function brandOf(digits, start, count) {
	if (count < FEWEST_DIGITS || count > MOST_DIGITS) return 0;
	let prefix = 0;
	for (let i = start; i < start + 6; i++) prefix = prefix * 10 + digits[i] - 48;
	const ranges = RANGES_BY_PREFIX[Math.trunc(prefix / 1000)];
	for (let i = 0; i < ranges.length; i++) {
		const range = ranges[i];
		if (prefix >= range.from && prefix <= range.to && (range.lengths & (1 << count)) !== 0) return range.index;
	}
	return 0;
}
function coBadgesOf(digits) {
	const prefix = Number(digits.slice(0, 6));
	const range = BRAND_RANGES.find(({ second, from, to }) => second !== undefined && prefix >= from && prefix <= to);
	return range?.second === undefined ? [] : [range.type, range.second];
}
const PLAUSIBLE = new Uint8Array(CARD_TYPES.length * CARD_TYPES.length);
for (const [type, ...others] of rowsOf(ALSO)) {
	for (const other of others) PLAUSIBLE[indexOf(type) * CARD_TYPES.length + indexOf(other)] = 1;
}
function isTypePlausible(named, actual) {
	return named === 0 || named === actual || PLAUSIBLE[named * CARD_TYPES.length + actual] === 1;
}
function choicesOf(digits, brand) {
	if (brand === 'Unspecified') return [];
	const inRange = coBadgesOf(digits);
	const choices = inRange.length > 0 ? inRange : [brand];
	return FRENCH.has(brand) ? [...choices, 'CartesBancaires'] : choices;
}
const FRENCH = new Set(['Visa', 'MasterCard', 'Maestro']);
return { CARD_TYPES, brandLabel, rowsOf, BRAND_RANGES, brandOf, coBadgesOf, isTypePlausible, choicesOf };
})();
const verdictModule = (() => {
const MAX_CARD_DIGITS = 22;
const MAX_TEXT_CHARACTERS = 255;
return { MAX_CARD_DIGITS, MAX_TEXT_CHARACTERS };
})();
const typedBrandModule = (() => {
const BRAND_RANGES = brandModule.BRAND_RANGES;
const brandOf = brandModule.brandOf;
const CARD_TYPES = brandModule.CARD_TYPES;
const MAX_CARD_DIGITS = verdictModule.MAX_CARD_DIGITS;
const LATE = new Set(['Maestro', 'UATP']);
const LATE_DIGITS = 4;
const RANGE_DIGITS = 6;
function typedBrandOf(digits) {
	const complete = brandOf(Buffer.from(digits), 0, digits.length);
	return complete === 0 ? brandOfBeginning(digits) : CARD_TYPES[complete];
}
function brandOfBeginning(digits) {
	if (digits === '') return 'Unspecified';
	const least = Number(digits.slice(0, RANGE_DIGITS).padEnd(RANGE_DIGITS, '0'));
	const most = Number(digits.slice(0, RANGE_DIGITS).padEnd(RANGE_DIGITS, '9'));
	const range = BRAND_RANGES.find(({ from, to }) => least >= from && most <= to);
	return range === undefined || (LATE.has(range.type) && digits.length < LATE_DIGITS) ? 'Unspecified' : range.type;
}
function longestOf(brand) {
	const lengths = BRAND_RANGES.reduce((bits, { type, lengths }) => (type === brand ? bits | lengths : bits), 0);
	return lengths === 0 ? MAX_CARD_DIGITS : 31 - Math.clz32(lengths);
}
return { typedBrandOf, brandOfBeginning, longestOf };
})();
const cvvLengthModule = (() => {
const CARD_TYPES = brandModule.CARD_TYPES;
const AMEX = CARD_TYPES.indexOf('AMEX');
function cvvLengthOf(brand) {
	return brand === 0 || brand === AMEX ? 'both' : 'three';
}
function storedCvvLengthOf(brand) {
	return brand === AMEX ? 'four' : cvvLengthOf(brand);
}
return { cvvLengthOf, storedCvvLengthOf };
})();
const luhnModule = (() => {
const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);
function passesLuhn(digits, start, count) {
	let sum = 0;
	let i = start + count - 1;
	for (; i > start; i -= 2) sum += digits[i] - 48 + DOUBLED[digits[i - 1] - 48];
	if (i === start) sum += digits[i] - 48;
	return sum % 10 === 0;
}
return { DOUBLED, passesLuhn };
})();
const expiryModule = (() => {
const EXPIRY_ABSENT = 0;
const EXPIRY_UNREADABLE = -1;
function expiryOf(month, year) {
	const fullYear = year < 100 ? 2000 + year : year;
	const isReadable = month >= 1 && month <= 12 && fullYear >= 1900 && fullYear <= 2999;
	return isReadable ? fullYear * 100 + month : EXPIRY_UNREADABLE;
}
function isExpired(expiry, now) {
	return expiry > 0 && expiry < now;
}
return { EXPIRY_ABSENT, EXPIRY_UNREADABLE, expiryOf, isExpired };
})();
const readCardModule = (() => {
const EXPIRY_ABSENT = expiryModule.EXPIRY_ABSENT;
const EXPIRY_UNREADABLE = expiryModule.EXPIRY_UNREADABLE;
const isExpired = expiryModule.isExpired;
const passesLuhn = luhnModule.passesLuhn;
const MAX_CARD_DIGITS = verdictModule.MAX_CARD_DIGITS;
const FEWEST_DIGITS = 12;
function numberProblem(digits, count, hasOthers) {
	if (count < FEWEST_DIGITS) return 'too-short';
	if (count > MAX_CARD_DIGITS) return 'too-long';
	return hasOthers || !passesLuhn(digits, 0, count) ? 'luhn' : null;
}
function expiryProblem(
	expiry,
	month,
	isStrict,
) {
	if (expiry === EXPIRY_UNREADABLE) return 'expiry';
	if (expiry === EXPIRY_ABSENT) return isStrict ? 'required' : null;
	return isExpired(expiry, month) ? 'expired' : null;
}
return { numberProblem, expiryProblem };
})();
const judgeFieldsModule = (() => {
const asciiDigits = asciiDigitsModule.asciiDigits;
const brandOf = brandModule.brandOf;
const CARD_TYPES = brandModule.CARD_TYPES;
const choicesOf = brandModule.choicesOf;
const isTypePlausible = brandModule.isTypePlausible;
const cvvLengthOf = cvvLengthModule.cvvLengthOf;
const storedCvvLengthOf = cvvLengthModule.storedCvvLengthOf;
const EXPIRY_ABSENT = expiryModule.EXPIRY_ABSENT;
const EXPIRY_UNREADABLE = expiryModule.EXPIRY_UNREADABLE;
const expiryOf = expiryModule.expiryOf;
const expiryProblem = readCardModule.expiryProblem;
const numberProblem = readCardModule.numberProblem;
const MAX_TEXT_CHARACTERS = verdictModule.MAX_TEXT_CHARACTERS;
const FEWEST_DIGITS = 12;
const SEPARATORS = /[\s.\-\u2010-\u2015\u2212\uff0d\uff0e]/g;
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const CVV_PROBLEMS = { three: 'cvvThree', four: 'cvvFour', both: 'cvvThreeOrFour' };
function judgeFields(typed, rules, month) {
	const problems = {};
	const note = (field, problem) => {
		if (problem !== undefined) problems[field] = problem;
	};
	const digits = plainDigits(typed.cardNumber ?? '').replace(SEPARATORS, '');
	note('cardNumber', judgeNumber(digits));
	const brand = problems.cardNumber ? 0 : brandOf(Buffer.from(digits), 0, digits.length);
	const type = judgeType(typed.cardType ?? '', { brand, digits, rules, note });
	const expiry = readTypedExpiry(typed.expiry ?? '');
	note('expiry', judgeExpiry(expiry, month, rules));
	const cvv = judgeCvv(rules.cvv === 'absent' ? '' : (typed.cvv ?? ''), cvvLengthOf(brand));
	if (cvv.problem !== 'required' || rules.cvv === 'required') note('cvv', cvv.problem);
	note('nameOnCard', nameProblem(typed.nameOnCard ?? '', rules));
	if (rules.asksOwnerId && (typed.ownerId ?? '').trim().length > MAX_TEXT_CHARACTERS) note('ownerId', 'tooLong');
	return { problems, digits, brand, type, expiry, cvv: cvv.digits };
}
function judgeStoredCvv(text, brand) {
	return judgeCvv(text, storedCvvLengthOf(brand));
}
const plainDigits = (text) => asciiDigits(text).replace(INVISIBLE, '');
function judgeCvv(text, length) {
	const digits = plainDigits(text).trim();
	if (digits === '') return { digits, problem: 'required' };
	const isRight = /^\d{3,4}$/.test(digits) && (length === 'both' || digits.length === (length === 'four' ? 4 : 3));
	return isRight ? { digits } : { digits, problem: CVV_PROBLEMS[length] };
}
function judgeNumber(digits) {
	if (digits === '') return 'required';
	if (/\D/.test(digits)) return 'numberWrong';
	const problem = numberProblem(Buffer.from(digits), digits.length, false);
	if (problem === null) return undefined;
	return problem === 'too-short' ? 'numberShort' : problem === 'too-long' ? 'numberLong' : 'numberWrong';
}
function judgeType(
	text,
	about
	,
) {
	const { brand, digits, rules, note } = about;
	const { detectsType, defaultType, types } = rules;
	const named = CARD_TYPES.indexOf(text);
	const isChoice = named > 0 && choicesOf(digits, CARD_TYPES[brand]).includes(CARD_TYPES[named]);
	const fallback = defaultType === undefined ? 0 : CARD_TYPES.indexOf(defaultType);
	const told = isChoice || !detectsType ? Math.max(named, 0) : brand || fallback;
	if (!detectsType && named < 0) note('cardType', 'required');
	else if (judgeNumber(digits) !== undefined) return told;
	else if (!detectsType && !isChoice && !isTypePlausible(told, brand)) note('cardType', 'typeMismatch');
	else if (types && !types.includes(CARD_TYPES[told])) note('cardNumber', 'typeRefused');
	return told;
}
function readTypedExpiry(text) {
	const plain = plainDigits(text)
		.replace(/[\u2010-\u2015\u2212]/g, '-')
		.replace(/[\u2044\u2215\uff0f]/g, '/')
		.trim();
	if (plain === '') return EXPIRY_ABSENT;
	const [, yearFirst, monthLast] = /^(20\d\d)(?:\s*[/.\-\s]\s*)?(0?[1-9]|1[0-2])$/.exec(plain) ?? [];
	const [, monthFirst, yearLast] =
		/^(\d\d?)\s*[/.\-\s]\s*(\d\d|\d{4})$/.exec(plain) ?? /^(\d\d)(\d\d|\d{4})$/.exec(plain) ?? [];
	const isYearFirst = yearFirst !== undefined && !(Number(monthFirst) <= 12);
	const [month, year] = isYearFirst ? [monthLast, yearFirst] : [monthFirst, yearLast];
	if (month === undefined) return EXPIRY_UNREADABLE;
	const expiry = expiryOf(Number(month), Number(year));
	return expiry === EXPIRY_UNREADABLE && expiryOf(1, Number(year)) > 0 ? WRONG_MONTH : expiry;
}
const WRONG_MONTH = -2;
function judgeExpiry(expiry, month, { minExpiry = 0 }) {
	if (expiry === WRONG_MONTH) return 'expiryMonth';
	const problem = expiryProblem(expiry, month, true);
	if (problem !== null) return problem === 'expiry' ? 'expiryIncomplete' : problem;
	return expiry < minExpiry ? 'expiresSoon' : undefined;
}
function nameProblem(text, { checksName }) {
	if (text.trim().length > MAX_TEXT_CHARACTERS) return 'tooLong';
	if (!checksName) return undefined;
	if (text.trim() === '') return 'required';
	if (asciiDigits(text).replace(/\D/g, '').length >= FEWEST_DIGITS) return 'nameNumber';
	return /\p{L}/u.test(text) && !/\p{Nd}/u.test(text) ? undefined : 'nameWrong';
}
return { judgeFields, judgeStoredCvv };
})();
return { ...asciiDigitsModule, ...brandModule, ...typedBrandModule, ...judgeFieldsModule };
}
export const asciiDigits = (...values) => rules().asciiDigits(...values);
export const brandLabel = (...values) => rules().brandLabel(...values);
export const choicesOf = (...values) => rules().choicesOf(...values);
export const coBadgesOf = (...values) => rules().coBadgesOf(...values);
export const longestOf = (...values) => rules().longestOf(...values);
export const typedBrandOf = (...values) => rules().typedBrandOf(...values);
export const judgeFields = (...values) => rules().judgeFields(...values);
export const judgeStoredCvv = (...values) => rules().judgeStoredCvv(...values);
