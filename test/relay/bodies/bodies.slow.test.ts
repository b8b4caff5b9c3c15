import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { AccountId } from '../../../src/base/database/ids.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { ThreadSlot } from '../../../src/base/threads/thread-slot.ts';
import type { Token } from '../../../src/vault/tokens/token.ts';
import { type Bodies, openBodies } from '../../../src/work/relay/bodies/bodies.ts';
import type { BodyResult, ToBodyThread } from '../../../src/work/relay/bodies/body-task.ts';
import { parseReadyProfile, type ReadyProfile } from '../../../src/work/relay/profiles/profile-document.ts';
import { bestTurn, MAX_TURN_MS } from '../../helpers/longest-turn.ts';
import { JSON_PROFILE, LIST_PROFILE, XML_PROFILE } from '../../helpers/third-party.ts';

const VISA = '4111111111111111';
const AMEX = '378282246310005';
const MEBI = 1024 * 1024;
const NOW = new Date('2026-11-01T00:00:00Z');
const ACCOUNT = 1 as AccountId;

const ready = (text: string) => parseReadyProfile(text, { environment: 'sandbox' });

function open(t: ExecutionContext<unknown>, more: Partial<Parameters<typeof openBodies>[0]> = {}): Bodies {
	const bodies = openBodies({ bodyThreads: 1, bodyMemoryBytes: 256 * MEBI, ...more });
	t.teardown(() => bodies.close());
	return bodies;
}

const profileOf = (body: string, path: string, container?: string) =>
	ready(
		`name: Test\ndirection: both\nbody: ${body}\ncards:\n  - ${container ? `container: "${container}"\n    ` : ''}number: "${path}"\n`,
	);

/** Copies a text into memory of its own, as the bytes of an answer from a third party have it. */
function bytesOf(text: string): Buffer {
	const bytes = Buffer.allocUnsafeSlow(text.length);
	bytes.write(text, 'latin1');
	return bytes;
}

const message = (profile: ReadyProfile, text: string) => ({ account: ACCOUNT, profile, body: bytesOf(text) });

const SIZE = 15.5 * MEBI;
const hostile: Record<string, { profile: ReadyProfile; text: string }> = {
	'numbers of JSON': { profile: ready(JSON_PROFILE), text: `[${'1,'.repeat(SIZE / 2)}1]` },
	'numbers of JSON, each selected': { profile: profileOf('json', '$[*]'), text: `[${'1,'.repeat(SIZE / 2)}1]` },
	'elements of XML': { profile: ready(XML_PROFILE), text: `<a>${'<a/>'.repeat(SIZE / 4)}</a>` },
	'digits that are no JSON': { profile: ready(JSON_PROFILE), text: '4 '.repeat(SIZE / 2) },
	'cards of JSON': { profile: ready(LIST_PROFILE), text: `{"cards":[${`{"number":"${VISA}"},`.repeat(200_000)}1]}` },
	'a form of nothing': { profile: profileOf('form', 'n'), text: 'n&'.repeat(SIZE / 2) },
};

for (const [what, { profile, text }] of Object.entries(hostile)) {
	test.serial(`15.5 MiB of ${what} hold up nobody else`, async (t) => {
		// The time that a thread may take is no part of this test: on a busy machine it takes many times as long.
		const bodies = open(t, { maxMs: 100_000 });
		const longest = await bestTurn(async () => {
			const { cards } = await bodies.read(message(profile, text), NOW);
			t.truthy(cards);
		});
		t.true(longest < MAX_TURN_MS, `${longest.toFixed()} ms`);
		t.is(bodies.usedBytes, 0);
	});
}

test.serial(
	'selectors that look at everything again and again hold up nobody else, in a small body either',
	async (t) => {
		const bodies = open(t);
		const nested = `${'<a>'.repeat(190)}${'<n>1</n>'.repeat(3_000)}${'</a>'.repeat(190)}`;
		const deep = `${'{"a":['.repeat(90)}${'{"n":1},'.repeat(3_000)}1${']}'.repeat(90)}`;
		const given = [
			message(profileOf('xml', '//n/../../..//n', '//a'), nested),
			message(profileOf('xml', '//a[count(.//n) > 3]/n', '//a'), nested),
			message(profileOf('json', '$..n', '$..*'), deep),
			message(profileOf('json', '$..[?@.n > 0].n', '$..*'), deep),
		];
		for (const each of given) {
			const longest = await bestTurn(async () => {
				const isRefused = (error: unknown) => t.true(error instanceof ServiceError, String(error));
				await bodies.read({ ...each, body: Buffer.from(each.body) }, NOW).catch(isRefused);
				await bodies.fill(each, [{ number: VISA }]).catch(isRefused);
			});
			t.true(longest < MAX_TURN_MS, `${longest.toFixed()} ms`);
		}
	},
);

test.serial('an answer of 15.5 MiB that repeats a thousand numbers holds up nobody else', async (t) => {
	const bodies = open(t);
	const numbers = Array.from({ length: 1_000 }, (_, n) => `41111111111${String(n).padStart(5, '1')}`);
	const body = '4111-'.repeat(SIZE / 5);
	let masked: Buffer = Buffer.alloc(0);
	const longest = await bestTurn(async () => {
		masked = await bodies.withoutEchoes({ account: ACCOUNT, body: bytesOf(body) }, numbers);
	});
	t.true(longest < MAX_TURN_MS, `${longest.toFixed()} ms`);
	t.is(masked.length, Math.floor(SIZE / 5) * 5);
});

const CARD = fc.record({
	number: fc.constantFrom(VISA, AMEX, '4111111111111112', '1', ''),
	month: fc.constantFrom('04', '4', ''),
	year: fc.constantFrom('2030', '20', 'x'),
	brand: fc.constantFrom('VI', 'Zorro', undefined),
	cvv: fc.constantFrom('123', '', undefined),
});

test('a body comes to the same in a thread as without one', async (t) => {
	const bodies = open(t);
	const profiles = [LIST_PROFILE, `${LIST_PROFILE}inPlace: token\n`].map(ready);
	const filling = 'x'.repeat(40_000);
	const property = fc.asyncProperty(
		fc.array(CARD, { maxLength: 5 }),
		fc.constantFrom(...profiles),
		async (cards, profile) => {
			const messages = [{ cards }, { cards, filling }].map((value) => () => message(profile, JSON.stringify(value)));
			const results = await Promise.all(
				messages.map(async (make) => {
					const read = await bodies.read(make(), NOW);
					if (read.cards.kind !== 'read') return read.cards;
					const accepted = read.cards.cards.filter(({ card }) => card);
					const hidden = read.hidden(accepted.map((_, i) => String(i).padStart(32, 'a') as Token));
					return { cards: read.cards.cards, hidden: JSON.parse(hidden.toString()).cards };
				}),
			);
			t.deepEqual(results[1], results[0]);
			const fills = await Promise.all(
				messages.map(async (make) => {
					const filled = await bodies.fill(make(), [{ number: AMEX }]).catch((error: ServiceError) => error);
					if (filled instanceof Error) return filled.moreInfo;
					const again = filled.withCodes(['123']);
					return [filled.codes, ...[filled.body, again].map((body) => JSON.parse(body.toString()).cards)];
				}),
			);
			t.deepEqual(fills[1], fills[0]);
		},
	);
	await t.notThrowsAsync(fc.assert(property, { numRuns: 60 }));
});

test('a CVV that is asked for later goes into the right body, also while others are filled', async (t) => {
	const bodies = open(t);
	const profile = ready(LIST_PROFILE);
	const filling = 'x'.repeat(40_000);
	const texts = ['first', 'longer than the first', filling, `${filling}, longer than the one before`];
	const make = (text: string) => message(profile, JSON.stringify({ cards: [{ number: text, cvv: text }] }));
	const filled = await Promise.all(texts.map((text) => bodies.fill(make(text), [{ number: VISA }])));
	t.deepEqual(
		filled.map(({ codes }) => codes),
		texts.map(() => [1]),
	);
	for (const each of filled) {
		t.deepEqual(JSON.parse(each.withCodes(['1234']).toString()).cards, [{ number: VISA, cvv: '1234' }]);
		t.deepEqual(JSON.parse(each.withCodes([undefined]).toString()).cards, [{ number: VISA, cvv: '' }]);
	}
});

test.serial('a body in a thread is read once, whether its cards are tokenized or sent with their CVV', async (t) => {
	const bodies = open(t);
	const profile = ready(`${LIST_PROFILE}inPlace: token\n`);
	const filling = 'x'.repeat(40_000);
	const make = (card: object) => message(profile, JSON.stringify({ cards: [card], filling }));
	let tasks = 0;
	const { run } = ThreadSlot.prototype;
	ThreadSlot.prototype.run = function (this: ThreadSlot<unknown, unknown>, ...given) {
		tasks++;
		return run.apply(this, given);
	};
	t.teardown(() => {
		ThreadSlot.prototype.run = run;
	});
	const read = await bodies.read(make({ number: VISA, cvv: '123' }), NOW);
	const hidden = read.hidden(['a'.repeat(32) as Token]);
	t.deepEqual(JSON.parse(hidden.toString()).cards, [{ number: 'a'.repeat(32), cvv: '***' }]);
	const filled = await bodies.fill(make({ number: '', cvv: 0 }), [{ number: VISA }]);
	t.deepEqual(JSON.parse(filled.withCodes(['123']).toString()).cards, [{ number: VISA, cvv: 123 }]);
	t.deepEqual(JSON.parse(filled.withCodes(['012']).toString()).cards, [{ number: VISA, cvv: '012' }]);
	t.is(tasks, 2);
});

test('memory for bodies is used up to its limit and no further; what was there is answered', async (t) => {
	const bodyMemoryBytes = 32 * MEBI;
	const bodies = open(t, { bodyMemoryBytes });
	const profile = ready(JSON_PROFILE);
	const reading = Array.from({ length: 16 }, () => bodies.read(message(profile, ' '.repeat(2 * MEBI)), NOW));
	t.true(bodies.usedBytes <= bodyMemoryBytes + 42 * MEBI);
	const outcomes = await Promise.allSettled(reading);
	const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
	t.true(refused.length > 0 && refused.length < 16, `${refused.length} refused`);
	for (const { reason } of refused) t.is(reason.reason, 'too-many-calls');
	t.is(bodies.usedBytes, 0);
	await t.notThrowsAsync(bodies.read(message(profile, ' '.repeat(MEBI)), NOW));
});

test('an account with many bodies does not keep another waiting for all of them', async (t) => {
	const bodies = open(t);
	const profile = ready(JSON_PROFILE);
	const order: number[] = [];
	const text = `[${'1,'.repeat(300_000)}1]`;
	const read = (account: number) =>
		bodies.read({ ...message(profile, text), account: account as AccountId }, NOW).then(() => order.push(account));
	await Promise.all([...Array.from({ length: 8 }, () => read(1)), read(2)]);
	t.true(order.indexOf(2) <= 2, order.join(' '));
});

test('a body that takes too long in a thread is refused, and the next body gets another thread', async (t) => {
	const bodies = open(t, { maxMs: 1 });
	const profile = ready(JSON_PROFILE);
	const error = await t.throwsAsync(bodies.fill(message(profile, `[${'1,'.repeat(1e6)}1]`), [{ number: VISA }]), {
		instanceOf: ServiceError,
	});
	t.is((error as ServiceError).reason, 'bad-input-data');
	t.is((await bodies.read(message(profile, `{"card":{"number":"${VISA}"}}`), NOW)).cards.kind, 'read');
});

test('a body that arrives while its idle thread is being ended is read in a new thread', async (t) => {
	const file = new URL('../../../src/work/relay/bodies/body-thread.ts', import.meta.url);
	const slot = new ThreadSlot<ToBodyThread, BodyResult>({ file, heapMb: 64, maxMs: 5_000, field: 'body' });
	const read = () => {
		const bytes = new Uint8Array(Buffer.from('{"a":1}'));
		return slot.run({ task: { kind: 'echoes', contentType: 'application/json', numbers: [VISA] }, bytes }, [
			bytes.buffer,
		]);
	};
	await read();
	// Ends the thread as the timer of an idle thread does.
	const ended = slot.close();
	await t.notThrowsAsync(read());
	await ended;
	await slot.close();
});

test.serial('a profile or destination of 250 KB holds up nobody else, whatever it is made of', async (t) => {
	const bodies = open(t, { maxMs: 100_000 });
	for (const part of ['[', 'a: b\n', '? a\n: b\n', '[a,', '&a ']) {
		const text = part.repeat(250_000 / part.length);
		const longest = await bestTurn(async () => {
			await t.throwsAsync(bodies.parseProfile(ACCOUNT, text, { environment: 'sandbox' }), { instanceOf: ServiceError });
			await t.throwsAsync(bodies.parseDestination(ACCOUNT, text), { instanceOf: ServiceError });
		});
		t.true(longest < MAX_TURN_MS, `${JSON.stringify(part)}: ${longest.toFixed()} ms`);
	}
});

test.serial('selectors that take seconds to compile hold up nobody else, when saved and when used', async (t) => {
	const bodies = open(t, { maxMs: 100_000 });
	const path = (name: string) => `/${name}${'/a[b]'.repeat(95)}`;
	const cards = Array.from({ length: 50 }, (_, n) => ({ container: path(`r${n}`), number: `n${'/a[b]'.repeat(95)}` }));
	const text = JSON.stringify({ name: 'Test', direction: 'both', body: 'xml', hosts: ['a.example'], cards });
	const longest = await bestTurn(async () => {
		const profile = await bodies.parseProfile(ACCOUNT, text, { environment: 'sandbox' });
		const { cards } = await bodies.read({ account: ACCOUNT, profile, body: bytesOf('<r/>') }, NOW);
		t.is(cards.kind, 'read');
	});
	t.true(longest < MAX_TURN_MS, `${longest.toFixed()} ms`);
});
