import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const JOB = '01testjob00000000000000001' as PassId;
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,NameOnCard\n';
const ROW = `4111111111111111,12,2029,${'M'.repeat(400)}\n`;
const TAIL = '4111111111111111,12,2029,"never closed';

async function* pieces(text: string) {
	for (let at = 0; at < text.length; at += 65_536) yield Buffer.from(text.slice(at, at + 65_536));
}

for (const dialect of databases) {
	test(`${dialect}: of a streamed file that breaks off exactly the cards whose tokens left are kept`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const engine = parts.engine([...formats.values()] as unknown as Format<never>[]);
		const left: Buffer[] = [];
		const run = engine.run({
			...{ pass: { id: JOB, begunAt: 0 }, accountId: OWNER, direction: 'tokenize', filter: 'SIMPLECSV', options: {} },
			source: pieces(HEAD + ROW.repeat(8000) + TAIL),
			sink: { write: async (bytes) => void left.push(Buffer.from(bytes)) },
			report: { entry: () => undefined },
			isStreamed: true,
		});
		await t.throwsAsync(run, { instanceOf: FileError });
		await engine.discard(JOB);
		const tokens = Buffer.concat(left)
			.toString()
			.match(/^[0-9a-f]{32}(?=,)/gm)!;
		t.true(tokens.length > 1000 && tokens.length < 8000, `${tokens.length} tokens left`);
		const kept = await parts.vault.list(OWNER, { from: 0, num: Number.POSITIVE_INFINITY });
		t.deepEqual(
			kept.map(({ token }) => token),
			[...tokens] as Token[],
		);
		const [{ live }] = await parts.database.knex('pages').sum({ live: 'live' });
		t.is(Number(live), tokens.length);
		t.deepEqual(await parts.database.knex('page_blocks'), []);
	});
}
