// What every provider of the root key promises, whatever is behind it.

import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import type { AccountId } from '../../../src/base/database/ids.ts';
import { openKeyRing } from '../../../src/base/keys/key-ring.ts';
import { type RootKey, RootKeyAwayError, RootKeyError } from '../../../src/base/keys/root-key.ts';
import { openTestDatabase } from '../../helpers/database.ts';
import {
	PROVIDER_CASES,
	type ProviderCase,
	SERVICE_CASES,
	type TestedProvider,
} from '../../helpers/key-services/providers.ts';
import { testNeeding } from '../../helpers/test-needing.ts';

const ACCOUNT = 7 as AccountId;

/** Opens a provider whose root keys are closed with the test. */
async function opened(t: ExecutionContext, { open }: ProviderCase): Promise<TestedProvider> {
	const provider = await open(t);
	const closing = (root: RootKey) => {
		t.teardown(() => root.close());
		return root;
	};
	return { ...provider, open: () => closing(provider.open()), openOther: () => closing(provider.openOther()) };
}

/** Checks that an error holds none of these bytes, in any spelling. */
function keepsSecret(t: ExecutionContext, error: Error, material: Buffer): void {
	for (let at: unknown = error; at instanceof Error; at = at.cause) {
		const text = `${at.message} ${at.stack} ${JSON.stringify(at)}`;
		for (const form of ['hex', 'base64', 'latin1'] as const) t.false(text.includes(material.toString(form)), form);
	}
}

for (const each of PROVIDER_CASES) {
	const test = testNeeding(...each.needs);

	test(`${each.name}: a key that was wrapped opens again, also in another process, and each time it looks different`, async (t) => {
		const provider = await opened(t, each);
		const material = randomBytes(32);
		const root = provider.open();
		const [once, again] = [await root.wrap(material), await root.wrap(material)];
		t.false(once.equals(again));
		t.false(once.includes(material));
		t.deepEqual(await root.unwrap(once), material);
		t.deepEqual(await provider.open().unwrap(again), material);
	});

	test(`${each.name}: another key, a changed value and what another provider wrapped are refused, and say so`, async (t) => {
		const provider = await opened(t, each);
		const material = randomBytes(32);
		const wrapped = await provider.open().wrap(material);
		const wrong = await t.throwsAsync(provider.openOther().unwrap(wrapped), {
			instanceOf: RootKeyError,
			message: /this is not the master key that the database was made with/,
		});
		t.false(wrong instanceof RootKeyAwayError);
		keepsSecret(t, wrong!, material);
		const changed = Buffer.from(wrapped);
		changed[changed.length - 20] ^= 1;
		t.false(
			(await t.throwsAsync(provider.open().unwrap(changed), { instanceOf: RootKeyError })) instanceof RootKeyAwayError,
		);
		for (const other of PROVIDER_CASES.filter(({ name, needs }) => name !== each.name && needs.length === 0)) {
			// The variable and the file wrap alike.
			if (['file', 'env'].includes(each.name) && ['file', 'env'].includes(other.name)) continue;
			const foreign = await (await opened(t, other)).open().wrap(material);
			await t.throwsAsync(provider.open().unwrap(foreign), {
				instanceOf: RootKeyError,
				message: ['file', 'env'].includes(other.name)
					? /under a master key of a file or a variable/
					: new RegExp(`under a key service: keys.provider ${other.name}`),
			});
		}
	});

	test(`${each.name}: a start without the provider fails, says which one, and is well when it is back`, async (t) => {
		const provider = await opened(t, each);
		if (!provider.goAway) return t.pass('a variable is always there');
		const database = await openTestDatabase(t, 'sqlite');
		const start = async () => openKeyRing({ database, root: provider.open(), environment: 'sandbox' });
		const first = await start();
		const key = await first.current('data', ACCOUNT);
		await provider.goAway();
		const description =
			each.name === 'file'
				? /^file \/.*cannot be read/
				: new RegExp(`^${provider.open().description.replaceAll('.', '\\.').replace('+', '.')}: .*`);
		await t.throwsAsync(start, { instanceOf: RootKeyError, message: description });
		await provider.comeBack!();
		t.true((await (await start()).byId(key.id)).secret.equals(key.secret));
	});
}

for (const each of SERVICE_CASES) {
	const test = testNeeding(...each.needs);

	test(`${each.name}: while the service is away, what is open goes on, and threads get the open keys`, async (t) => {
		const provider = await opened(t, each);
		const database = await openTestDatabase(t, 'sqlite');
		const ring = await openKeyRing({ database, root: provider.open(), environment: 'sandbox' });
		const known = await ring.current('data', ACCOUNT);
		t.is(await ring.check(), 'present');
		await provider.goAway!();
		await t.throwsAsync(ring.check(), { instanceOf: RootKeyAwayError });
		const began = performance.now();
		await t.throwsAsync(ring.check(100), { instanceOf: RootKeyAwayError });
		t.true(performance.now() - began < 2_000, 'whoever asks for readiness does not wait for the service');
		// New accounts, rotations and a thread that begins now need nothing of the service.
		const made = await ring.current('data', 8 as AccountId);
		const rotated = await ring.rotate('cvv', ACCOUNT);
		const thread = await openKeyRing({
			...{ database, root: provider.open(), environment: 'sandbox' },
			opened: structuredClone(ring.listOpened()),
		});
		for (const key of [known, made, rotated]) t.true((await thread.byId(key.id)).secret.equals(key.secret));
		await t.throwsAsync(ring.rotateEnvironmentKey(), { instanceOf: RootKeyAwayError });
		await provider.comeBack!();
		t.is(await ring.check(), 'present');
		await ring.rotateEnvironmentKey();
		t.true((await ring.byId(known.id)).secret.equals(known.secret));
	});

	test(`${each.name}: a key that is disabled is refused by name, and is no service that is away`, async (t) => {
		const provider = await opened(t, each);
		const wrapped = await provider.open().wrap(randomBytes(32));
		await provider.disable!();
		const error = await t.throwsAsync(provider.open().unwrap(wrapped), {
			instanceOf: RootKeyError,
			message: provider.disabledSays,
		});
		t.false(error instanceof RootKeyAwayError);
	});

	test(`${each.name}: a login that is refused is not tried again, and daemons go on`, async (t) => {
		const provider = await opened(t, each);
		const wrapped = await provider.open().wrap(randomBytes(32));
		await provider.refuseLogin!();
		const root = provider.open();
		const began = performance.now();
		await t.throwsAsync(root.unwrap(wrapped), { instanceOf: RootKeyAwayError, message: provider.refusedSays });
		t.true(performance.now() - began < 3_500, 'there is no second try');
	});
}
