import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { AttemptCipher, countAttempts, type LimitPassed, purgeAttempts } from '../../src/vault/cards/elimination.ts';
import type { Attempt } from '../../src/vault/cards/elimination-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const NOW = new Date('2026-11-21T12:00:00Z');
const whose = { accountId: OWNER, creatorId: OWNER, now: NOW };

const mac = (text: string) => createHash('sha256').update(text).digest().readInt32LE(0);
const attempt = (pair: number, number: number): Attempt => ({
	near: mac(`p${pair}`),
	number: mac(`${pair}/${number}`),
});

for (const dialect of databases) {
	test(`${dialect}: whatever is looked for in whatever portions, no more different numbers of a pair than the limit pass`, async (t) => {
		const portion = fc.array(fc.tuple(fc.nat(2), fc.nat(9)), { minLength: 1, maxLength: 12 });
		let account = 100;
		await fc.assert(
			fc.asyncProperty(fc.array(portion, { minLength: 1, maxLength: 8 }), async (portions) => {
				const database = await databaseOf();
				const told = new Map<number, Set<number>>();
				const seen = new Map<number, Set<number>>();
				const of = { ...whose, accountId: ++account as AccountId };
				for (const asked of portions) {
					const attempts = asked.map(([pair, number]) => attempt(pair, number));
					const isLeftOut = await countAttempts(database, of, attempts, { numbersPerDay: 4 });
					for (const [pair, number] of asked) seen.set(pair, (seen.get(pair) ?? new Set()).add(number));
					for (const [nth, [pair, number]] of asked.entries()) {
						t.is(isLeftOut(attempts[nth]), seen.get(pair)!.size > 4);
						if (!isLeftOut(attempts[nth])) told.set(pair, (told.get(pair) ?? new Set()).add(number));
					}
				}
				for (const numbers of told.values()) t.true(numbers.size <= 4);
			}),
			{ numRuns: 40 },
		);
		async function databaseOf() {
			opened ??= openTestDatabase(t, dialect);
			return opened;
		}
	});
	let opened: ReturnType<typeof openTestDatabase> | undefined;

	test(`${dialect}: daemons that count at the same moment pass no more than the limit together, and alarm once`, async (t) => {
		const first = await openTestDatabase(t, dialect);
		const second = dialect === 'postgres' ? await openDatabase({ url: first.url }) : first;
		t.teardown(() => second.close());
		const alarms: LimitPassed[] = [];
		const onPassed = async (passed: LimitPassed) => void alarms.push(passed);
		const told = new Set<number>();
		const look = async (database: typeof second, number: number) => {
			const isLeftOut = await countAttempts(database, whose, [attempt(1, number)], { numbersPerDay: 5, onPassed });
			if (!isLeftOut(attempt(1, number))) told.add(number);
		};
		await Promise.all(Array.from({ length: 24 }, (_, nth) => look(nth % 2 === 0 ? first : second, nth)));
		t.true(told.size <= 5);
		t.deepEqual(alarms, [{ accountId: OWNER, creatorId: OWNER, pairs: 1, numbersPerDay: 5 }]);
	});

	test(`${dialect}: a day that is over is forgotten, and counts for nothing`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const many = Array.from({ length: 30 }, (_, number) => attempt(1, number));
		const onDay = (days: number) => new Date(NOW.getTime() + days * 86_400_000);
		t.true((await countAttempts(database, whose, many))(many[0]));
		t.false((await countAttempts(database, { ...whose, now: onDay(1) }, [many[0]]))(many[0]));
		t.is(await purgeAttempts({ database, clock: { now: () => onDay(1) } }), 0, 'clocks differ');
		t.is(await purgeAttempts({ database, clock: { now: () => onDay(2) } }), 21);
		const left = await database.knex('elimination_limits').select();
		t.deepEqual(left, []);
	});

	test(`${dialect}: beyond the limit every card of a file gets a new token, known or not, and the report says so`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const engine = parts.engine([formats.get('SIMPLECSV')!] as never);
		const known = '4111111111111111';
		const HEAD = 'CardNumber,ExpirationDate\n';
		const run = async (numbers: readonly string[]) => {
			const bytes = Buffer.from(HEAD + numbers.map((number) => `${number},12/30\n`).join(''));
			const request = {
				filter: 'SIMPLECSV',
				direction: 'tokenize',
				options: { eliminateCardDuplication: true },
			} as const;
			const swapped = await swap(parts, engine, { ...request, bytes });
			return {
				...swapped,
				tokens: swapped.bytes
					.toString()
					.split('\n')
					.slice(1, -1)
					.map((row) => row.split(',')[0]),
			};
		};
		const first = await run([known]);
		t.deepEqual((await run([known, known])).tokens, [first.tokens[0], first.tokens[0]]);
		const attacked = await run([...numbersLike(known, 30), known]);
		t.is(attacked.summary.cards, 31);
		t.false(attacked.tokens.includes(first.tokens[0]));
		t.is(new Set(attacked.tokens).size, 31);
		t.true(attacked.summary.notices.some((notice) => notice.startsWith('31 cards got new tokens')));
		const again = await run([known, known, '5555555555554444']);
		t.is(new Set([...again.tokens, ...attacked.tokens, ...first.tokens]).size, 35, 'for the rest of the day');
		const back = await swap(parts, engine, { filter: 'SIMPLECSV', direction: 'detokenize', bytes: attacked.bytes });
		t.true(back.bytes.toString().endsWith(`${known},12/30\n`));
	});
}

test('the counted values reveal nothing about a number without the key of its account', (t) => {
	const card = (digits: string) => ({ digits: Buffer.from(digits), digitCount: digits.length });
	const key = { secret: createSecretKey(randomBytes(32)) };
	const of = (cipher: AttemptCipher, ...texts: string[]) => {
		for (const text of texts) cipher.add(card(text));
		return cipher.take();
	};
	const [one, two] = [new AttemptCipher(key), new AttemptCipher({ secret: createSecretKey(randomBytes(32)) })];
	const [same, other] = of(one, '4111111111111111', '4111110000001111');
	t.deepEqual(of(new AttemptCipher(key), '4111111111111111'), [same]);
	t.notDeepEqual(of(two, '4111111111111111'), [same]);
	t.is(same.near, other.near);
	t.not(same.number, other.number);
	// Numbers of different lengths have different values, even if only the zeros at their ends differ.
	const texts = ['411111001111', '4111110011110', '41111100111100', '4111110000001111', '4111110000000000001111'];
	const macs = of(one, ...texts, ...Array<string>(100).fill('4111111111111111')).map(({ number }) => number);
	t.is(new Set(macs).size, texts.length + 1);
});

/** Returns numbers that pass Luhn and have the first six and last four digits of `known`. */
function numbersLike(known: string, count: number): string[] {
	const found: string[] = [];
	for (let middle = 0; found.length < count; middle++) {
		const number = known.slice(0, 6) + String(middle).padStart(6, '0') + known.slice(-4);
		const sum = [...number]
			.reverse()
			.map(Number)
			.map((digit, at) => (at % 2 === 0 ? digit : ((digit * 2) % 10) + (digit > 4 ? 1 : 0)));
		if (sum.reduce((a, b) => a + b, 0) % 10 === 0) found.push(number);
	}
	return found;
}
