import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { SealError } from '../../src/base/keys/seal.ts';
import { sealedProfiles } from '../../src/work/relay/profiles/profile-store.ts';
import { MAX_PROFILES, openProfiles, REMEMBERED_FOR_MS } from '../../src/work/relay/profiles/profiles.ts';
import { compileSelectors } from '../../src/work/relay/selectors/selectors.ts';
import { databases } from '../helpers/database.ts';
import { type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';
import { changeSealed } from '../helpers/reseal.ts';

const AGENCY = 7 as AccountId;
const OTHER = 8 as AccountId;
const SECRET = 'Basic c2VjcmV0LXNlY3JldA==';

function text(change: object = {}): string {
	const cards = [{ container: '$.card', number: '$.number', securityCode: '$.cvv' }];
	return JSON.stringify({ name: 'Partner', direction: 'tokenize', body: 'json', cards, ...change });
}

function openFor(parts: IdentityParts) {
	return openProfiles({ ...parts, environment: 'sandbox', presets: new Map() });
}

for (const dialect of databases) {
	test(`a profile is saved, found ready to use, and replaced (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const profiles = openFor(parts);
		t.is(await profiles.find(AGENCY, 'Partner'), undefined);
		const first = await profiles.put(AGENCY, text({ hosts: ['api.example.com'], authorization: SECRET }));
		t.like(first, {
			version: 1,
			createdAt: parts.clock.now(),
			profile: { name: 'Partner', authorization: '********' },
		});
		const found = await profiles.find(AGENCY, 'Partner');
		t.is(found?.authorization, SECRET);
		const [card] = compileSelectors(found!).locate(Buffer.from('{"card":{"number":"4111111111111111"}}'));
		t.is(card.values.number, '4111111111111111');
		parts.turn(1000);
		const second = await profiles.put(AGENCY, text({ description: 'new' }));
		t.like(second, { version: 2, createdAt: first.createdAt, updatedAt: parts.clock.now() });
		const replaced = await profiles.find(AGENCY, 'Partner');
		t.is(replaced?.description, 'new');
		t.false('authorization' in replaced!);
	});

	test(`names are matched exactly, within one account (${dialect})`, async (t) => {
		const profiles = openFor(await openIdentityParts(t, dialect));
		await profiles.put(AGENCY, text());
		for (const name of ['partner', 'PARTNER', 'Partner ', 'Partner%', '', 'Part_er', 'a\u0000b', 'x'.repeat(5000)]) {
			t.is(await profiles.find(AGENCY, name), undefined, name);
			t.is(await profiles.findStored(AGENCY, name), undefined, name);
			t.false(await profiles.remove(AGENCY, name), name);
		}
		t.is(await profiles.find(OTHER, 'Partner'), undefined);
		await profiles.put(AGENCY, text({ name: 'partner' }));
		await profiles.put(OTHER, text({ name: 'Partner', description: 'theirs' }));
		const listed = await profiles.list(AGENCY);
		t.deepEqual(new Set(listed.map(({ profile }) => profile.name)), new Set(['Partner', 'partner']));
		t.is((await profiles.find(AGENCY, 'Partner'))?.description, undefined);
	});

	test(`a removed profile is gone (${dialect})`, async (t) => {
		const profiles = openFor(await openIdentityParts(t, dialect));
		await profiles.put(AGENCY, text());
		t.truthy(await profiles.find(AGENCY, 'Partner'));
		t.true(await profiles.remove(AGENCY, 'Partner'));
		t.is(await profiles.find(AGENCY, 'Partner'), undefined);
		t.deepEqual(await profiles.list(AGENCY), []);
		t.false(await profiles.remove(AGENCY, 'Partner'));
	});

	test(`secrets are sealed, and open only where they were sealed (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const profiles = openFor(parts);
		await profiles.put(AGENCY, text({ hosts: ['api.example.com'], authorization: SECRET }));
		const { knex } = parts.database;
		const [row] = await knex('relay_profiles');
		t.false(Object.values(row).some((value) => String(value).includes(SECRET)));
		t.is(JSON.parse(row.document).authorization, '********');
		await knex('relay_profiles').insert({ ...row, account_id: OTHER });
		await knex('relay_profiles').insert({ ...row, name: 'Stolen' });
		t.is(await profiles.find(OTHER, 'Partner'), undefined, 'its own seal does not fit either');
		await changeSealed(parts, sealedProfiles, {}, {});
		parts.turn(REMEMBERED_FOR_MS);
		await t.throwsAsync(profiles.find(OTHER, 'Partner'), { instanceOf: SealError });
		await t.throwsAsync(profiles.find(AGENCY, 'Stolen'), { instanceOf: SealError });
		t.is((await profiles.find(AGENCY, 'Partner'))?.authorization, SECRET);
	});

	test(`what older keys sealed still opens after a rotation (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await openFor(parts).put(AGENCY, text({ hosts: ['api.example.com'], authorization: SECRET }));
		await parts.keyRing.rotate('secret');
		await parts.keyRing.rotateEnvironmentKey();
		const profiles = openFor({ ...parts, ...(await parts.anotherDaemon()) });
		t.is((await profiles.find(AGENCY, 'Partner'))?.authorization, SECRET);
	});

	test(`another daemon sees a change within seconds, and asks the database no more often (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const here = openFor(parts);
		const there = openFor({ ...parts, ...(await parts.anotherDaemon()) });
		await here.put(AGENCY, text());
		const before = await there.find(AGENCY, 'Partner');
		t.is(await there.find(AGENCY, 'Absent'), undefined);
		let queries = 0;
		parts.database.knex.on('query', ({ sql }) => {
			if (/relay_profiles/.test(sql)) queries++;
		});
		for (let i = 0; i < 20; i++) t.is(await there.find(AGENCY, 'Partner'), before);
		t.is(await there.find(AGENCY, 'Absent'), undefined);
		t.is(queries, 0);
		parts.turn(REMEMBERED_FOR_MS);
		const all = await Promise.all(Array.from({ length: 20 }, () => there.find(AGENCY, 'Partner')));
		t.is(queries, 1);
		// No profile has changed, so none is compiled again.
		for (const found of all) t.is(found, before);
		await here.remove(AGENCY, 'Partner');
		await here.put(AGENCY, text({ description: 'new' }));
		await here.put(AGENCY, text({ name: 'Absent' }));
		t.is(await there.find(AGENCY, 'Partner'), before);
		parts.turn(REMEMBERED_FOR_MS);
		t.is((await there.find(AGENCY, 'Partner'))?.description, 'new');
		t.is((await there.find(AGENCY, 'Absent'))?.name, 'Absent');
	});

	test(`an account has at most ${MAX_PROFILES} profiles (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const profiles = openFor(parts);
		await profiles.put(AGENCY, text());
		const [row] = await parts.database.knex('relay_profiles');
		const sealer = await parts.keyRing.seals.sealer();
		const more = Array.from({ length: MAX_PROFILES - 1 }, (_, index) => {
			const named = { ...row, name: `N${index}` };
			return { ...named, ...sealer.seal(sealedProfiles, named) };
		});
		for (let at = 0; at < more.length; at += 50) {
			await parts.database.knex('relay_profiles').insert(more.slice(at, at + 50));
		}
		const error = await t.throwsAsync(profiles.put(AGENCY, text({ name: 'Another' })));
		t.regex(error!.message, /at most 500 profiles/);
		t.is((await profiles.put(AGENCY, text({ description: 'again' }))).version, 2);
		t.is((await profiles.put(OTHER, text())).version, 1);
		t.is((await profiles.list(AGENCY)).length, MAX_PROFILES);
	});
}

test('a profile that is saved by several at once is saved by each in turn', async (t) => {
	const profiles = openFor(await openIdentityParts(t, 'postgres'));
	const saved = await Promise.all(Array.from({ length: 8 }, () => profiles.put(AGENCY, text())));
	t.deepEqual(saved.map(({ version }) => version).sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
});
