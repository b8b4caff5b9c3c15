// Checks that every word of the vocabulary for a security code, an expiry and a card means the same in the text of an AIR
// and an IUR, however it is spelled.

import test from 'ava';
import fc from 'fast-check';
import { air } from '../../formats/air/air.ts';
import { iur } from '../../formats/iur/iur.ts';
import { DEFAULT_KEYWORDS } from '../../formats/scan/free-text.ts';
import { LONE_WORDS, spellingsOf, type WordKind } from '../../src/base/card/names/field-words.ts';
import { runs } from '../helpers/runs.ts';
import { type ScannedFinding, scanAll } from '../helpers/scan.ts';

const CARD = 'VI4111111111111111/1229';

/** Scans lines of remarks, in both formats. */
function scanRemarks(lines: readonly string[], encoding: BufferEncoding = 'latin1'): [string, ScannedFinding[]][] {
	const airText = ['AIR-BLK207', 'AMD', '1A', 'MUC1A', ...lines.map((line) => `RM ${line}`), 'ENDX', ''];
	const iurText = ['AA20NOV0915M0117', ...lines.map((line, at) => `M9${String(at % 100).padStart(2, '0')}${line}`), ''];
	return [
		['AIR', scanAll(air, air.options.parse({}), Buffer.from(airText.join('\n'), encoding))],
		['IUR', scanAll(iur, iur.options.parse({}), Buffer.from(iurText.join('\n'), encoding))],
	];
}

/** Returns the spellings of a word: its parts divided by each of `signs`, in capitals, in small letters, and as a name. */
function spelled(word: string, signs: readonly string[] = ['', ' ', '-', '.', '_']): string[] {
	return signs.flatMap((sign) => {
		const whole = word.replaceAll('-', sign);
		return [whole.toUpperCase(), whole, whole[0].toUpperCase() + whole.slice(1)];
	});
}

const starred = test.macro({
	exec(t, labels: readonly string[], encoding?: BufferEncoding) {
		const lines = [...new Set(labels)].flatMap((label) => [`${CARD} ${label} 123`, `${label}: 123 ${CARD}`]);
		t.true(lines.length > 5);
		for (const [format, findings] of scanRemarks(lines, encoding)) {
			const missed = lines.filter((_, at) => findings[at]?.cvv?.raw !== '123');
			t.deepEqual(missed, [], format);
			t.is(findings.length, lines.length, format);
		}
	},
	title: (what) => `the code behind ${what} is starred`,
});

const cross = (...parts: (readonly string[])[]) =>
	parts.reduce((rows, part) => rows.flatMap((row) => part.map((word) => (row === '' ? word : `${row}-${word}`))), ['']);
/** Words that stand alone, such as the n of `N° 123`, have their own test. */
const words = (kind: WordKind) => spellingsOf(kind).filter((word) => !LONE_WORDS.has(word));

test(
	'each word for it but CVX, which says in a form of payment that there is none',
	starred,
	words('cvv')
		.filter((word) => word !== 'cvx')
		.flatMap((word) => spelled(word)),
);
test(
	'a word for it with a word for a card before it',
	starred,
	cross(['karten', 'card', 'tarjeta', 'cc'], words('cvv')).flatMap((word) => spelled(word, ['', ' '])),
);
test(
	'words for security and code',
	starred,
	cross(words('security'), words('code')).flatMap((word) => spelled(word)),
);
test(
	'words for verification and code',
	starred,
	cross(words('verification'), words('code')).flatMap((word) => spelled(word, ['', ' ', '-'])),
);
test(
	'words for security or verification and number',
	starred,
	cross([...words('security'), ...words('verification')], words('number')).flatMap((word) => spelled(word, ['', ' '])),
);
test(
	'a code of security in the languages that name the code first',
	starred,
	cross(['code', 'codigo', 'codice', 'cod', 'clave', 'numero'], ['de', 'di', 'da', 'della'], words('security')).flatMap(
		(word) => spelled(word),
	),
);
const ACCENTED = ['Código de segurança', 'CÓDIGO DE SEGURIDAD', 'code de sécurité', 'CODE-DE-SÉCURITÉ', 'Prüfziffer'];
test('words with accents in Latin-1', starred, [...ACCENTED, 'KARTENPRÜFNUMMER', 'PRÜF-NR', 'SÄKERHETSKOD']);
test('words with accents in UTF-8', starred, [...ACCENTED, 'Säkerhetskod', 'kod bezpieczeństwa'], 'utf8');
test('letters one by one', starred, ['C.V.V.', 'C V V', 'C-V-C', 'c.v.c.', 'C.I.D.', 'C.V.V.2']);
test('a label that another word ends', starred, [
	'SECURITY CODE NO.',
	'CVV CODE',
	'CVC-NR',
	'SECURITY N°',
	'CRYPTO NUM',
]);

test('words that mean many things count only right behind the card and its expiry', (t) => {
	const lines = ['CODE', 'SEC', 'CLAVE', 'CARD CODE', 'VERIF', 'ID'];
	const near = lines.map((word) => `${CARD} ${word} 123`);
	const far = lines.map((word) => `${CARD} PLEASE USE ${word} 123`);
	for (const [format, findings] of scanRemarks([...near, ...far])) {
		const codes = findings.map(({ cvv }) => cvv?.raw);
		t.deepEqual(codes, [...near.map(() => '123'), ...far.map(() => undefined)], format);
	}
});

test('words that only begin or end like a label are none', (t) => {
	const others = [
		'CIDADE 123',
		'CVVX 123',
		'SECURITYX 123',
		'ACVV 123',
		'SECTION 123',
		'CODEX CV 123',
		'NUMBER 123',
		'CARD 123',
	];
	for (const [format, findings] of scanRemarks(others.map((other) => `${CARD} ${other}`))) {
		t.deepEqual(
			findings.map(({ cvv }) => cvv?.raw),
			others.map(() => undefined),
			format,
		);
	}
});

test('every word for an expiry stands before one', (t) => {
	const phrases = [...words('expiry'), ...words('due'), 'valid'].flatMap((word) => spelled(word, ['', ' ']));
	const dates = [
		'expiry date',
		"Date d'expiration",
		'FECHA DE CADUCIDAD',
		'GUELTIG BIS',
		'Exp. Date',
		'EXP MM/YY',
		'ABLAUFDATUM',
	];
	const lines = [...phrases, ...dates].map((phrase) => `VI4111111111111111 ${phrase} 12/29`);
	for (const [format, findings] of scanRemarks(lines)) {
		t.deepEqual(
			lines.filter((_, at) => findings[at]?.expiry !== 202912),
			[],
			format,
		);
	}
});

test('every default keyword finds the number behind it', (t) => {
	const others = [
		'KREDITKARTE',
		'CARTE BLEUE',
		'CARTE BANCAIRE',
		'TARJETA',
		'CARTAO',
		'CARTÃO',
		'CREDITCARD',
		'MASTERCARD',
	];
	const lines = [...DEFAULT_KEYWORDS, ...others].flatMap((word) => [
		`${word} 4111111111111111`,
		`${word.toLowerCase()}: 4111-1111-1111-1111`,
	]);
	for (const [format, findings] of scanRemarks(lines)) t.is(findings.length, lines.length, format);
});

test('a short keyword finds nothing as a part of a word', (t) => {
	for (const [, findings] of scanRemarks(['AKK 4111111111111111', 'KKA 4111111111111111'])) t.is(findings.length, 0);
});

test('what the vocabulary finds comes out the same on the way back, whatever words stand around', (t) => {
	const word = fc.constantFrom(
		...spellingsOf('cvv'),
		...spellingsOf('code'),
		...spellingsOf('security'),
		'de',
		'no',
		'x',
	);
	const text = fc
		.array(word, { maxLength: 5 })
		.chain((list) => fc.constantFrom(' ', '-', '').map((sign) => list.join(sign)));
	fc.assert(
		fc.property(text, fc.constantFrom('123', '1234'), (label, code) => {
			const [[, there]] = scanRemarks([`${CARD} ${label} ${code}`]);
			// A doubtful code stays in the file and is only told, so no stars come back.
			const found = there[0].isCvvDoubtful ? undefined : there[0].cvv?.raw;
			const [[, back]] = scanRemarks([`VI${'0123456789ABCDEF'.repeat(2)}/1229 ${label} ${'*'.repeat(code.length)}`]);
			// The four digits of an American Express are known by its number, which a token hides.
			if (code.length === 3 || found !== undefined)
				t.is(back[0].cvv === undefined, found === undefined, `${label} ${code}`);
		}),
		{ numRuns: runs(300) },
	);
});
