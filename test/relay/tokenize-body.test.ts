import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import type { Principal } from '../../src/people/identity/principal.ts';
import { openBodies } from '../../src/work/relay/bodies/bodies.ts';
import { parseReadyProfile } from '../../src/work/relay/profiles/profile-document.ts';
import { tryProfile } from '../../src/work/relay/profiles/profile-trial.ts';
import { type StoreWishes, tokenizeBody } from '../../src/work/relay/tokenize-body.ts';
import { JSON_PROFILE, LIST_PROFILE, XML_PROFILE } from '../helpers/third-party.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const VISA = '4111111111111111';
const MASKED = '411111******1111';

async function open(
	t: ExecutionContext<unknown>,
	profileText: string,
	refusal: 'target-unreachable' | 'bad-input-data' = 'target-unreachable',
) {
	const bodies = openBodies({ bodyThreads: 1, bodyMemoryBytes: 64 * 1024 * 1024 });
	t.teardown(() => bodies.close());
	const parts = { ...(await openVaultParts(t)), bodies };
	const profile = parseReadyProfile(profileText, { environment: 'sandbox' });
	const principal = { accountId: 1, ownerId: 1, userId: 'merchant', cvvRetention: true } as unknown as Principal;
	const message = { action: 'card.capture', subject: 'profile test', details: {} } as const;
	return {
		parts,
		run: (body: string | Buffer, wishes: Partial<StoreWishes> = {}, contentType?: string) =>
			tokenizeBody(parts, { principal, profile, contentType, refusal, message }, Buffer.from(body as string), {
				keepsCvv: false,
				...wishes,
			}),
	};
}

interface Row {
	readonly card: string;
	readonly becomes?: string;
	readonly error?: string;
	readonly warning?: string;
}

const rows: Record<string, Row> = {
	'a good card': { card: `"number":"${VISA}","month":"04","year":"2030","brand":"VI"`, becomes: MASKED, warning: '' },
	'a year of two digits': {
		card: `"number":"${VISA}","month":"4","year":"30","brand":"VISA"`,
		becomes: MASKED,
		warning: '',
	},
	'the month of today': {
		card: `"number":"${VISA}","month":"11","year":"2026","brand":"Visa"`,
		becomes: MASKED,
		warning: '',
	},
	'the month before': { card: `"number":"${VISA}","month":"10","year":"2026","brand":"Visa"`, error: 'Expired card' },
	'no expiry': { card: `"number":"${VISA}","brand":"Visa"`, becomes: MASKED },
	'no type': {
		card: `"number":"${VISA}","month":"04","year":"2030"`,
		becomes: MASKED,
		warning: 'The Card type is missing',
	},
	'another type': {
		card: `"number":"${VISA}","month":"04","year":"2030","brand":"AX"`,
		becomes: MASKED,
		warning: 'Card type validation message',
	},
	'an unknown type': {
		card: `"number":"${VISA}","month":"04","year":"2030","brand":"Zorro"`,
		becomes: MASKED,
		warning: 'The Card type is missing',
	},
	'blanks in the number': {
		card: `"number":"4111 1111 1111 1111","month":"04","year":"2030","brand":"Visa"`,
		becomes: MASKED,
		warning: '',
	},
	'a number as JSON number': {
		card: `"number":${VISA},"month":4,"year":2030,"brand":"Visa"`,
		becomes: MASKED,
		warning: '',
	},
	'no digits': { card: '"number":"unknown","month":"04"', error: 'Number has less than 12 digits' },
	'digits of another script': {
		card: `"number":"４${'１'.repeat(15)}","month":"04","year":"2030","brand":"Visa"`,
		becomes: MASKED,
		warning: '',
	},
	'a name that is a card number': {
		card: `"number":"${VISA}","month":"04","year":"2030","brand":"Visa","holder":"4111 1111 1111 1111"`,
		becomes: MASKED,
		warning: 'The name is too long or looks like a card number, and was not kept',
	},
	'a word beside the number': {
		card: `"number":"VISA ${VISA}","month":"04","year":"2030"`,
		becomes: `VISA ${MASKED}`,
		warning: '',
	},
	'signs, invisible marks and letters beyond Latin-1 beside the number': {
		card: `"number":"\u202a№ 🂡 #${VISA}\u200b","month":"04","year":"2030","brand":"Visa"`,
		becomes: `\u202a№ 🂡 #${MASKED}\u200b`,
		warning: '',
	},
	'the expiry of last year behind the number': { card: `"number":"${VISA} exp 12/25"`, error: 'Expired card' },
	'an expiry and a security code behind the number': {
		card: `"number":"${VISA} 12/29 123","brand":"Visa"`,
		becomes: `${MASKED} 12/29 ***`,
		warning: '',
	},
	'references and blanks of web addresses': {
		card: `"number":"%204111%201111&nbsp;1111 1111"`,
		becomes: `%20${MASKED}`,
	},
	thousands: { card: `"number":"4,111,111,111,111,111"`, becomes: MASKED },
	'a fraction of zeros': { card: `"number":${VISA}.0`, becomes: `${MASKED}.0` },
	'letters whose lower half is a digit': {
		card: `"number":"д${'б'.repeat(15)}","month":"04","year":"2030"`,
		error: 'Number has less than 12 digits',
	},
	'a CVV of such letters': {
		card: `"number":"${VISA}","month":"04","year":"2030","brand":"Visa","cvv":"абв"`,
		error: 'CVV must be 3 or 4 digits',
	},
	'an empty CVV': {
		card: `"number":"${VISA}","month":"04","year":"2030","brand":"Visa","cvv":""`,
		becomes: MASKED,
		warning: '',
	},
	'a CVV of letters': {
		card: `"number":"${VISA}","month":"04","year":"2030","brand":"Visa","cvv":"abc"`,
		error: 'CVV must be 3 or 4 digits',
	},
};

for (const [name, { card, becomes, error = '', warning }] of Object.entries(rows)) {
	test(`spec §2.4, §4.1: ${name}`, async (t) => {
		const { run } = await open(t, JSON_PROFILE);
		const body = `{"card":{${card}}}`;
		const { errors, warnings, tokens, body: swapped } = await run(body);
		t.deepEqual(errors, [error]);
		if (warning !== undefined) t.deepEqual(warnings, [warning]);
		t.is(tokens.length, becomes === undefined ? 0 : 1);
		if (becomes === undefined) t.is(swapped.toString(), body);
		else t.is(JSON.parse(swapped.toString()).card.number, becomes);
	});
}

test('shapes §11: a masked number, a token and an empty place are no cards and have no position', async (t) => {
	const { run } = await open(t, LIST_PROFILE);
	const list = [MASKED, `${'x'.repeat(12)}1111`, '', 'a1'.repeat(16), VISA];
	const { errors, tokens } = await run(JSON.stringify({ cards: list.map((number) => ({ number })) }));
	t.deepEqual([errors, tokens.length], [[''], 1]);
});

test('several numbers at one place become several tokens, and what stands between them stays', async (t) => {
	for (const [inPlace, numbers] of Object.entries({ mask: [MASKED, '555555******4444'], token: [] })) {
		const { run, parts } = await open(t, `${JSON_PROFILE}inPlace: ${inPlace}\n`);
		const body = `{"card":{"number":"${VISA} / Master 5555555555554444","month":"04","year":"2030","cvv":"123"}}`;
		const { errors, tokens, body: swapped } = await run(body, { keepsCvv: true });
		const [one, other] = inPlace === 'mask' ? numbers : tokens;
		t.is(
			swapped.toString(),
			body.replace(`${VISA} / Master 5555555555554444`, `${one} / Master ${other}`).replace('"123"', '"***"'),
		);
		t.deepEqual([errors, tokens.length], [['', ''], 2]);
		const places = await Promise.all(tokens.map((token) => parts.vault.find(1 as never, token)));
		const codes = places.map((place) => parts.vault.cvvs.use(place!, { type: 'Owner', data: '' }));
		t.deepEqual(
			(await Promise.all(codes)).map((cvv) => cvv?.digits.toString()),
			['123', undefined],
		);
		const again = await run(swapped);
		t.deepEqual([again.errors, again.body.toString()], [[], swapped.toString()], 'a second time');
	}
});

test('shapes §11: a CVV is starred whether it is kept or not, and kept only where it is wished for', async (t) => {
	const { run, parts } = await open(t, JSON_PROFILE);
	const body = `{"card":{"number":"${VISA}","month":"04","year":"2030","brand":"Visa","cvv":"1234"}}`;
	for (const keepsCvv of [false, true]) {
		const { tokens, body: swapped } = await run(body, { keepsCvv });
		t.is(JSON.parse(swapped.toString()).card.cvv, '****');
		const place = (await parts.vault.find(1 as never, tokens[0]))!;
		const cvv = await parts.vault.cvvs.use(place, { type: 'Owner', data: '' });
		t.is(cvv?.digits.toString(), keepsCvv ? '1234' : undefined);
	}
});

const PLACEHOLDERS = fc.constantFrom(
	'N/A',
	'null',
	'-',
	'--',
	'none',
	'\\N',
	'0',
	'00',
	'?',
	'XXX',
	'***',
	'#N/A',
	'k. A.',
	'  -  ',
);

test('formats §1.25: a placeholder for a CVV, a month and a year stays in a message, and its card is tokenized', async (t) => {
	const { run } = await open(t, JSON_PROFILE);
	const property = fc.asyncProperty(PLACEHOLDERS, PLACEHOLDERS, fc.boolean(), async (cvv, date, isKept) => {
		const body = JSON.stringify({ card: { number: VISA, month: date, year: date, brand: 'Visa', cvv } });
		const { errors, warnings, body: swapped } = await run(body, { keepsCvv: isKept });
		t.deepEqual([errors, warnings], [[''], ['The expiration date is missing']]);
		t.is(swapped.toString(), body.replace(VISA, MASKED));
		t.deepEqual((await run(swapped)).body, swapped);
	});
	await fc.assert(property, { numRuns: 40 });
});

test('formats §1.25: a placeholder for month and year in one text stays, however short its parts are', async (t) => {
	const { run } = await open(t, XML_PROFILE);
	for (const date of ['N/A', 'NULL', '0000', '--', 'undefined', 'XXXX', '?', '0', '00']) {
		const body = `<a><PaymentCard CardNumber="${VISA}" ExpireDate="${date}" SeriesCode="n.a."/></a>`;
		const { errors, body: swapped } = await run(body);
		t.deepEqual([date, errors, swapped.toString()], [date, [''], body.replace(VISA, MASKED)]);
	}
	const half = `<a><PaymentCard CardNumber="${VISA}" ExpireDate="12XX" SeriesCode="123"/></a>`;
	const { errors, body } = await run(half);
	t.deepEqual([errors, body.toString()], [['Expiration date is not readable'], half]);
});

test('formats §1.25: a CVV of one or two digits is starred in a message, and kept with its zeros', async (t) => {
	const { run, parts } = await open(t, JSON_PROFILE);
	for (const [number, cvv, stars, kept] of [
		[VISA, '12', '**', '012'],
		[VISA, 7, '*', '007'],
		['378282246310005', 12, '**', '0012'],
	] as const) {
		const body = JSON.stringify({ card: { number, month: '04', year: '2030', cvv } });
		const { tokens, body: swapped } = await run(body, { keepsCvv: true });
		t.is(JSON.parse(swapped.toString()).card.cvv, stars);
		const place = (await parts.vault.find(1 as never, tokens[0]))!;
		t.is((await parts.vault.cvvs.use(place, { type: 'Owner', data: '' }))?.digits.toString(), kept);
	}
});

test('formats §1.25: a placeholder that belongs to no number stays, also in the text of another part', async (t) => {
	const profile = `
name: Stray
direction: tokenize
body: json
cards:
  - number: { path: $..n, substring: [0, 16] }
    securityCode: { path: $..n, substring: [17, 3] }
  - container: $.plain
    number: $.number
    securityCode: $..cvv
`;
	const { run } = await open(t, profile);
	const body = `{"n":"${VISA} N/A","plain":{"number":"${MASKED}","x":[{"cvv":"N/A"},{"cvv":0},{"cvv":12}]}}`;
	t.is((await run(body)).body.toString(), body.replace(VISA, MASKED).replace('"cvv":12', '"cvv":"**"'));
});

test('shapes §11: a CVV that belongs to no number in particular is starred too', async (t) => {
	const profile = `
name: Stray
direction: tokenize
body: json
cards:
  - number: $..number
    securityCode: { path: $..code, substring: [0, 3] }
  - container: $.plain
    number: $.n
    securityCode: $..cvv
`;
	const { run } = await open(t, profile);
	const shared = (first: string) => `{"a":{"number":"${first}","code":"123-x"},"b":{"number":"${VISA}"}}`;
	t.is(
		(await run(shared(VISA))).body.toString(),
		`{"a":{"number":"${MASKED}","code":"***-x"},"b":{"number":"${MASKED}"}}`,
	);
	t.is((await run(shared(MASKED))).body.toString(), shared(MASKED).replace(VISA, MASKED).replace('123', '***'));
	const beside = shared('').replaceAll(VISA, '12');
	t.is((await run(beside)).body.toString(), beside.replace('123', '***'), 'of a refused number, or of none');
	const refused = shared('13').replaceAll(VISA, '12');
	t.is((await run(refused)).body.toString(), refused, 'of refused numbers alone');
	const several = `{"plain":{"n":"${VISA}","x":[{"cvv":123},{"cvv":"4567"},{"cvv":null}]}}`;
	t.is(
		(await run(several)).body.toString(),
		several.replace(VISA, MASKED).replace('123', '"***"').replace('4567', '****'),
	);
});

const FORM_PROFILE = 'name: Form\ndirection: tokenize\nbody: form\ncards: [{ number: n }]\n';
for (const [what, body] of Object.entries({
	JSON: `{"n":"${VISA}"}`,
	markup: `<input name="n" value="${VISA}">`,
	parts: `--x\r\nContent-Disposition: form-data; name="n"\r\n\r\n${VISA}\r\n--x--\r\n`,
	text: VISA,
	lines: `n ${VISA}\nm=1`,
})) {
	test(`shapes §11: ${what} with a number does not pass for a form without the field`, async (t) => {
		const { run, parts } = await open(t, FORM_PROFILE, 'bad-input-data');
		const error = await t.throwsAsync(run(body), { instanceOf: ServiceError });
		t.is(error.moreInfo, 'body: cannot be read as form and looks as if it held card numbers');
		t.deepEqual(await parts.database.knex('pages'), []);
		t.is((await run(body.replace(VISA, '12'))).body.toString(), body.replace(VISA, '12'), 'without one it passes');
	});
}

test('a form passes with what its other fields hold, and one that is not escaped is a form by its fields', async (t) => {
	const { run } = await open(t, FORM_PROFILE);
	const other = `x=${VISA}&y=a+b\r\n`;
	t.is((await run(other)).body.toString(), other);
	t.is((await run(`x={"a": <1>}&n=${VISA}`)).body.toString(), `x={"a": <1>}&n=${MASKED}`);
});

test('shapes §11: a name that may be a number is not kept in clear', async (t) => {
	const { run, parts } = await open(t, LIST_PROFILE);
	const names = ['A HOLDER', VISA, 'n'.repeat(256), ' É '];
	const cards = names.map((holder) => ({ number: VISA, month: '04', year: '2030', holder }));
	const { tokens } = await run(JSON.stringify({ cards }));
	const found = await Promise.all(
		tokens.map(async (token) => (await parts.vault.find(1 as never, token))!.record.name),
	);
	t.deepEqual(
		found.map((name) => name?.toString() || undefined),
		['A HOLDER', undefined, undefined, 'É'],
	);
});

test('shapes §11: what is no such format passes where it holds nothing like a card', async (t) => {
	for (const profile of [JSON_PROFILE, XML_PROFILE]) {
		const { run } = await open(t, profile);
		for (const body of ['', 'plain', '<p>call 0800 123 456<br>', '{"a":', '\xff\x00']) {
			const { body: same, tokens } = await run(body);
			t.deepEqual([same.toString(), tokens.length], [body, 0]);
		}
	}
});

test('shapes §11: and is refused where it does', async (t) => {
	for (const refusal of ['target-unreachable', 'bad-input-data'] as const) {
		const { run, parts } = await open(t, JSON_PROFILE, refusal);
		const utf16 = Buffer.from(`\ufeff<a>${VISA}</a>`, 'utf16le');
		for (const body of [`{"card":"${VISA}"`, '<p>4111-1111-1111-1111', utf16]) {
			const error = await t.throwsAsync(run(body), { instanceOf: ServiceError });
			t.is(error.reason, refusal);
			t.false(error.message.includes('1111'));
		}
		t.is((await parts.database.knex('pages')).length, 0);
	}
});

test('shapes §11: more cards than are wished for are refused before one is stored', async (t) => {
	const { run, parts } = await open(t, LIST_PROFILE);
	const cards = JSON.stringify({ cards: Array(3).fill({ number: VISA }) });
	const error = await t.throwsAsync(run(cards, { maxTokens: 2 }), { instanceOf: ServiceError });
	t.regex(error.moreInfo!, /^body: more than 2 cards/);
	t.is((await parts.database.knex('pages')).length, 0);
	t.is((await run(cards, { maxTokens: 3 })).tokens.length, 3);
});

test('a trial says of any card what a call says', async (t) => {
	const { run } = await open(t, JSON_PROFILE);
	const profile = parseReadyProfile(JSON_PROFILE, { environment: 'sandbox' });
	const some = (...values: unknown[]) =>
		fc.option(fc.oneof(fc.constantFrom(...values), fc.string()), { nil: undefined });
	const card = fc.record({
		number: some(VISA, 4111111111111111, '4111 1111 1111 1111', 'д1111', MASKED, '4.11E+15', 'x', '', '\u00a0', '*'),
		month: some('04', '4', 13, '', ' 4 ', '004', 'б'),
		year: some('2030', '30', '030', 2020, '203', '', '１２'),
		cvv: some('123', 1234, '12', '***', 'абв', ''),
		brand: some('Visa', 'VI', 'AX', 'Zorro', ''),
	});
	await fc.assert(
		fc.asyncProperty(card, async (one) => {
			const body = Buffer.from(JSON.stringify({ card: one }));
			const { errors, warnings, tokens } = await run(body);
			const tried = tryProfile(profile, { body, now: new Date('2026-11-21') }).cards;
			const judged = tried.filter(({ content }) => !['empty', 'masked', 'token'].includes(content));
			t.deepEqual(
				errors,
				judged.map(({ refusal }) => refusal ?? ''),
			);
			t.deepEqual(
				warnings,
				judged.map((each) => each.warnings.join(', ')),
			);
			t.is(tokens.length, judged.filter(({ refusal }) => refusal === null).length);
		}),
		{ numRuns: 300 },
	);
});

test('spec §4.1: everything but numbers and CVVs is identical, for any message', async (t) => {
	const { run } = await open(t, LIST_PROFILE);
	const numbers = fc.constantFrom(VISA, '4111111111111112', '378282246310005', '', MASKED, '12');
	await fc.assert(
		fc.asyncProperty(fc.array(fc.tuple(numbers, fc.json()), { maxLength: 5 }), fc.json(), async (cards, rest) => {
			const written = cards.map(([number, more]) => `{"x": ${more} , "number" : "${number}"}`).join(' ,');
			const body = `{"rest":${rest} , "cards":[${written}]}`;
			const { body: swapped, tokens, errors } = await run(body);
			const isGood = (number: string) => number === VISA || number === '378282246310005';
			const isCard = (number: string) => number !== '' && number !== MASKED;
			const expected = cards.map(([number, more]) => {
				const shown = isGood(number)
					? `${number.slice(0, 6)}${'*'.repeat(number.length - 10)}${number.slice(-4)}`
					: number;
				return `{"x": ${more} , "number" : "${shown}"}`;
			});
			return (
				swapped.toString() === `{"rest":${rest} , "cards":[${expected.join(' ,')}]}` &&
				tokens.length === cards.filter(([number]) => isGood(number)).length &&
				errors.length === cards.filter(([number]) => isCard(number)).length
			);
		}),
		{ numRuns: 40 },
	);
	t.pass();
});
