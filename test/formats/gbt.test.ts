import test from 'ava';
import { gbt } from '../../formats/gbt.ts';
import type { Format } from '../../src/engine/format.ts';
import { checkDelimitedFixture } from '../helpers/check-scan.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { scanAll } from '../helpers/scan.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

for (const fixture of fixtureCases('GBT')) {
	test(`${fixture.name}: ${fixture.note}`, checkDelimitedFixture, gbt, fixture);
}

test('a header that names two CVV columns of one number is refused as the header it is', (t) => {
	const text = 'H,GBT\nCard Number,CVV,CID\n4111111111111111,123,4567\n';
	t.throws(() => scanAll(gbt, gbt.options.parse({}), Buffer.from(text)), {
		message:
			'the columns "CVV" and "CID" are both named as the CVV of one card number; name one of them in aliases or columns',
	});
	const options = gbt.options.parse({ aliases: { cvv: ['CID'] } });
	t.like(scanAll(gbt, options, Buffer.from(text)), [{ cvv: { raw: '4567' } }]);
});

test('the word of a control row is no CVV: masked, such a row stands still the second time', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine([gbt as unknown as Format<never>]);
	const request = { filter: 'GBT', direction: 'tokenize', options: { onRefused: 'mask' } } as const;
	const head = 'CVV,FOP Number,BTA Account Number\n';
	const once = await swap(parts, engine, { ...request, bytes: Buffer.from(`${head}T,4111111111111112,1\n`) });
	t.is(once.bytes.toString(), `${head}T,411111******1112,1\n`);
	const twice = await swap(parts, engine, { ...request, bytes: once.bytes });
	t.is(twice.bytes.toString(), once.bytes.toString());
	t.like(twice.summary, { masked: 1, refused: 0 });
});
