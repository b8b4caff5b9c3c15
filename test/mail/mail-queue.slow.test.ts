import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { transact } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import { resealRows } from '../../src/base/keys/rows/sealed-rows.ts';
import { type Mail, openMail } from '../../src/base/mail/mail.ts';
import { openMailQueue, sealedMails } from '../../src/base/mail/mail-queue.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { MINUTE_MS } from '../helpers/identity-parts.ts';
import { startMailServer } from '../helpers/mail-server.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const SECRET = 'https://vault.example/cardrequest/cr_secret';
const MAIL: Mail = {
	to: { address: 'guest@example.com' },
	from: { address: 'cards@hotel.example' },
	subject: 'Your card',
	text: SECRET,
	html: `<p>${SECRET}</p>`,
};

const LIMITS = { maxPerAccount: 100, maxPerRecipient: 20 };

async function openCommandParts(t: ExecutionContext<unknown>, dialect: Dialect, limits = LIMITS) {
	const server = await startMailServer(t);
	const database = await openTestDatabase(t, dialect);
	const clock = turnableClock();
	const keyRing = await openKeyRing({
		database,
		root: localRootKey(randomBytes(32), 'test'),
		environment: 'sandbox',
		clock,
	});
	const settled: string[] = [];
	const warnings: object[] = [];
	const limited: string[] = [];
	const openQueue = () => {
		const sender = openMail({ ...server, tls: 'none', user: undefined, password: undefined });
		const queue = openMailQueue({
			...{ database, keyRing, clock, sender, limits, onLimited: (limit) => void limited.push(limit) },
			logger: {
				warn: (about: object) => void warnings.push(about),
				error: (about: object) => void warnings.push(about),
			} as never,
			onSettled: async (about, outcome) => void settled.push(`${about} ${outcome}`),
		});
		t.teardown(() => queue.close());
		return queue;
	};
	const queue = openQueue();
	const put = async (about: string, minutes = 60, mail = MAIL, ownerId: number | null = 1) => {
		const putMail = await queue.prepare();
		const giveUpAt = new Date(clock.now().getTime() + minutes * MINUTE_MS);
		await transact(database, (transaction) =>
			putMail({ accountId: 1 as AccountId, ownerId: ownerId as AccountId, about, mail, giveUpAt }, transaction),
		);
	};
	return { server, database, keyRing, clock, queue, openQueue, put, settled, warnings, limited };
}

const onBoth = (
	title: string,
	run: (t: ExecutionContext<unknown>, parts: Awaited<ReturnType<typeof openCommandParts>>) => Promise<void>,
) => {
	for (const dialect of databases)
		test(`${title} (${dialect})`, async (t) => run(t, await openCommandParts(t, dialect)));
};

onBoth(
	'a mail is sealed while it waits, is sent once, and then is gone',
	async (t, { queue, put, server, database, settled }) => {
		await put('card-request 1');
		const [row] = await database.knex('mails');
		t.false(Buffer.from(row.sealed).includes(SECRET));
		t.is(await queue.run(), 1);
		t.is((await server.wait(1)).text.trim(), SECRET);
		t.deepEqual(settled, ['card-request 1 sent']);
		t.is(await queue.run(), 0);
		t.deepEqual(await database.knex('mails'), []);
	},
);

onBoth('a rolled back transaction sends nothing', async (t, { queue, database, clock, server }) => {
	const putMail = await queue.prepare();
	const giveUpAt = new Date(clock.now().getTime() + MINUTE_MS);
	await t.throwsAsync(
		transact(database, async (transaction) => {
			const accountId = 1 as AccountId;
			await putMail({ accountId, ownerId: accountId, about: 'x', mail: MAIL, giveUpAt }, transaction);
			throw new Error('undone');
		}),
	);
	t.is(await queue.run(), 0);
	t.is(server.received.length, 0);
});

onBoth('two daemons send each mail once', async (t, { queue, openQueue, put, server }) => {
	for (let each = 0; each < 12; each++) await put(`card-request ${each}`);
	const others = [openQueue(), openQueue()];
	const sent = await Promise.all([queue, ...others].map((each) => each.run()));
	t.is(
		sent.reduce((sum, each) => sum + each, 0),
		12,
	);
	t.is(server.received.length, 12);
	t.is(new Set(server.received.map(({ headers }) => headers['message-id'])).size, 12);
});

onBoth('a mail waits longer after each failure, and is given up when it is of no use any more', async (t, parts) => {
	const { queue, put, server, clock, settled, database, warnings } = parts;
	server.refuse(451);
	await put('card-request 1', 10);
	const tries = async () => (await database.knex('mails').first())?.attempts;
	t.is(await queue.run(), 0);
	t.is(await queue.run(), 0);
	t.is(await tries(), 1, 'a mail that waits is not tried again at once');
	for (const minutes of [1, 2]) {
		clock.turn(minutes * MINUTE_MS);
		await queue.run();
	}
	t.is(await tries(), 3);
	clock.turn(4 * MINUTE_MS);
	await queue.run();
	t.deepEqual(settled, ['card-request 1 failed'], 'the next try would come after the link has expired');
	t.deepEqual(await database.knex('mails'), []);
	t.is(warnings.length, 4);
	t.false(JSON.stringify(warnings).includes('guest@example.com'));
});

onBoth('a mailbox that does not exist ends the mail at once', async (t, { queue, put, server, settled }) => {
	server.refuse(550);
	await put('card-request 1');
	await queue.run();
	t.deepEqual(settled, ['card-request 1 failed']);
});

onBoth('a mail that a dead daemon held is taken over', async (t, { queue, put, clock, database, server }) => {
	await put('card-request 1');
	await database.knex('mails').update({ claim: 'dead', claimed_until: clock.now().getTime() + MINUTE_MS });
	t.is(await queue.run(), 0);
	clock.turn(2 * MINUTE_MS);
	t.is(await queue.run(), 1);
	t.is(server.received.length, 1);
});

onBoth('mails move to a new key', async (t, { queue, put, keyRing, database, server }) => {
	await put('card-request 1');
	await keyRing.rotate('secret');
	const moved = await Array.fromAsync(resealRows({ database, keyRing }, sealedMails));
	t.deepEqual(moved, ['moved']);
	t.is(await queue.run(), 1);
	t.is((await server.wait(1)).text.trim(), SECRET);
});

onBoth('wake sends without being waited for', async (t, { queue, put, server }) => {
	await put('card-request 1');
	queue.wake();
	queue.wake();
	t.is((await server.wait(1)).text.trim(), SECRET);
});

const to = (address: string): Mail => ({ ...MAIL, to: { address } });

for (const dialect of databases) {
	test(`an account sends no more mails than it may, whichever daemon counts (${dialect})`, async (t) => {
		const limits = { maxPerAccount: 5, maxPerRecipient: 2 };
		const { put, openQueue, clock, database, limited, queue } = await openCommandParts(t, dialect, limits);
		const refused = async (made: Promise<unknown>, moreInfo: string) =>
			t.like(await t.throwsAsync(made), { reason: 'mail-limit-reached', moreInfo });
		const ofRecipient = 'mail.maxPerRecipient: the account may send 2 mails to a recipient in a day';
		const ofAccount = 'mail.maxPerAccount: the account may send 5 mails in a day';
		await put('one', 60, to('a@example.com'));
		await put('two', 60, to('A@example.com'));
		await refused(put('three', 60, to('a@example.com')), ofRecipient);
		await put('other account', 60, to('a@example.com'), 2);
		await put('three', 60, to('b@example.com'));
		await put('four', 60, to('c@example.com'));
		await put('five', 60, to('d@example.com'));
		await refused(put('six', 60, to('e@example.com')), ofAccount);
		t.is((await database.knex('mails')).length, 6, 'what is refused is not queued, and not counted');
		t.deepEqual(limited, ['recipient', 'account']);
		t.false(JSON.stringify(await database.knex('mail_counts')).includes('example'));

		clock.turn(24 * 60 * MINUTE_MS);
		const other = openQueue();
		const [mine, theirs] = [await queue.prepare(), await other.prepare()];
		const giveUpAt = new Date(clock.now().getTime() + 60 * MINUTE_MS);
		const accountId = 1 as AccountId;
		const race = Array.from({ length: 12 }, (_, each) =>
			transact(database, (transaction) =>
				(each % 2 ? mine : theirs)(
					{ accountId, ownerId: accountId, about: `${each}`, mail: to(`${each}@example.com`), giveUpAt },
					transaction,
				),
			),
		);
		const results = await Promise.allSettled(race);
		t.is(results.filter(({ status }) => status === 'fulfilled').length, 5, 'a day later the count begins anew');
		clock.turn(25 * 60 * MINUTE_MS);
		t.true((await queue.purge()) > 0);
		t.deepEqual(await database.knex('mail_counts'), []);
	});

	test(`a mailbox gets a limited number of mails, and no account learns of those of others (${dialect})`, async (t) => {
		const limits = { maxPerAccount: 50, maxPerRecipient: 1 };
		const { put, queue, clock, server, settled, limited } = await openCommandParts(t, dialect, limits);
		for (let owner = 1; owner <= 5; owner++) await put(`mail ${owner}`, owner === 5 ? 90 : 3000, MAIL, owner);
		t.is(await queue.run(), 3);
		t.deepEqual(limited, ['mailbox', 'mailbox']);
		clock.turn(60 * MINUTE_MS);
		t.is(await queue.run(), 0);
		t.true(settled.includes('mail 5 failed'), 'it would come after its link has expired');
		clock.turn(24 * 60 * MINUTE_MS);
		t.is(await queue.run(), 1);
		t.is(server.received.length, 4);
	});

	test(`what anybody may ask for is spaced and counts for no account (${dialect})`, async (t) => {
		const limits = { maxPerAccount: 1, maxPerRecipient: 3 };
		const { put, clock, database } = await openCommandParts(t, dialect, limits);
		await put('asked', 60, MAIL, null);
		await t.throwsAsync(put('asked', 60, MAIL, null), { message: /too many mails to this recipient/ });
		await put('own', 60, MAIL, 1);
		for (let each = 0; each < 2; each++) {
			clock.turn(2 * MINUTE_MS);
			await put('asked', 60, MAIL, null);
		}
		clock.turn(2 * MINUTE_MS);
		await t.throwsAsync(put('asked', 60, MAIL, null), { message: /too many mails to this recipient/ });
		t.is((await database.knex('mails')).length, 4);
	});
}
