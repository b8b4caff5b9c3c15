import test from 'ava';
import { formats } from '../../formats/index.ts';
import { defaultCvvEnd } from '../../src/vault/cvvs/cvv-seal.ts';
import { dialects } from '../helpers/database.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

for (const dialect of dialects) {
	test(`${dialect}: whoever detokenizes a file is told when the policy of each CVV in it ends`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const filter = 'SIMPLECSV';
		const engine = parts.engine([formats.get(filter)!] as never);
		const text = 'CardNumber,ExpirationDate,CVV\n4111111111111111,12/30,306\n5555555555554444,12/30,\n';
		const there = await swap(parts, engine, { filter, direction: 'tokenize', bytes: Buffer.from(text) });
		const ends: number[] = [];
		const back = await swap(
			parts,
			{ ...engine, run: (request) => engine.run({ ...request, onCvv: (endsAtMs) => void ends.push(endsAtMs) }) },
			{ filter, direction: 'detokenize', bytes: there.bytes },
		);
		t.is(back.bytes.toString(), text);
		const row = { ends_at: defaultCvvEnd(parts.clock.now().getTime()) };
		t.deepEqual(ends, [row.ends_at]);
	});
}
