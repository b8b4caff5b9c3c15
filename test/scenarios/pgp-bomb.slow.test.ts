// A message that unpacks to a gigabyte is refused, and takes no more memory than any other.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import { writeSpool } from '../../src/base/blobs/spool.ts';
import { systemClock } from '../../src/base/clock.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { openMessages } from '../../src/work/pgp/messages.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { openBegunDatabase } from '../helpers/begun-database.ts';
import { collect, makeFolder } from '../helpers/file-parts.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { openParts } from '../openpgp/messages.setup.ts';

const LIMIT_BYTES = 300 * 2 ** 20;

testNeeding('GnuPG (gnupg)')('a gigabyte in a megabyte is refused under 300 MB, and nothing of it stays', async (t) => {
	const { gpg, us, own, threads } = await openParts(t);
	const { database, keyRing } = await openBegunDatabase(t, 'sqlite');
	const blobs = diskBlobStore(join(makeFolder(t), 'drops'));
	const audit = { record: async () => undefined as never };
	const owner = { accountId: 7 as never, userId: 'agency' };
	await openPgpKeys({ database, keyRing, audit, clock: systemClock }).put(owner, 'own', own, 'test');
	const zeros = join(makeFolder(t), 'zeros');
	execFileSync('truncate', ['--size', '1G', zeros]);
	const message = join(makeFolder(t), 'message');
	gpg(['--compress-algo', 'zlib', '--compress-level', '9', '--recipient', us, '--output', message, '--encrypt', zeros]);
	const content = readFileSync(message);
	t.true(content.length < 1.2e6, `${content.length}`);

	const folder = { accountId: 7 as never, area: 'tokenize', filter: 'CSV' };
	const file = { id: makeUlid(Date.now()), folder, name: 'bomb.csv.pgp' };
	await writeSpool({ blobs, keyRing }, file, (writer) => writer.write(content));
	const getAccount = async () => ({ ...owner, ownerId: owner.accountId, hasCvvRetention: false });
	const messages = openMessages({ database, keyRing, accounts: { getAccount }, threads });
	let peak = 0;
	const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
	const scratch = makeUlid(Date.now());
	const opening = messages.open({ blobs, keyRing }, file, { accept: true }, () => scratch);
	const { moreInfo } = (await t.throwsAsync(opening)) as { moreInfo?: string };
	clearInterval(timer);
	t.regex(moreInfo ?? '', /unpacks to more than 268435456 bytes/);
	t.log(`${Math.round(peak / 2 ** 20)} MB at most`);
	t.true(peak < LIMIT_BYTES, `${peak}`);
	await blobs.remove(scratch);
	t.is((await collect(blobs.list())).length, 1, 'the message alone is left');
});
