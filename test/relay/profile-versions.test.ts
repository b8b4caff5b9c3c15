// Tests profiles that several people change: each saves over the version that they have seen, and secrets are kept.

import test from 'ava';
import { ProfileError } from '../../src/work/relay/profiles/profile-problems.ts';
import { profileYaml } from '../../src/work/relay/profiles/profile-yaml.ts';
import { ProfileChangedError } from '../../src/work/relay/profiles/profiles.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const text = (description: string, more = '') => `name: Pms
description: ${description}
direction: replace
body: json
targetUri: https://pms.example/api
${more}cards:
  - number: $.card.number
`;

for (const dialect of databases) {
	test(`${dialect}: of two who change the same version the second is told, whoever commits first`, async (t) => {
		const { profiles, createCaller } = await openHttpApp(t, dialect);
		const { id } = (await createCaller('hotel')).account;
		const save = (description: string, version: number) =>
			profiles.put(id, text(description), undefined, { name: version > 0 ? 'Pms' : undefined, version });
		t.is((await save('first', 0)).version, 1);
		const late = await t.throwsAsync(save('again', 0), { instanceOf: ProfileChangedError });
		t.is(late?.current?.profile.description, 'first');
		const both = await Promise.allSettled([save('one', 1), save('other', 1)]);
		t.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
		const [{ reason }] = both.filter((each) => each.status === 'rejected');
		t.true(reason instanceof ProfileChangedError);
		t.is((await profiles.findStored(id, 'Pms'))?.version, 2);
		await profiles.remove(id, 'Pms');
		await t.throwsAsync(save('gone', 2), { instanceOf: ProfileChangedError });
	});
}

test('a text with stars keeps the secrets, unless calls would go elsewhere', async (t) => {
	const { profiles, createCaller } = await openHttpApp(t);
	const { id } = (await createCaller('hotel')).account;
	await profiles.put(id, text('first', 'authorization: Basic c2VjcmV0\n'));
	const shown = async () => profileYaml((await profiles.findStored(id, 'Pms'))!.profile);
	t.false((await shown()).includes('c2VjcmV0'));
	const replacing = { name: 'Pms', version: 1 };
	await profiles.put(id, (await shown()).replace('first', 'second'), undefined, replacing);
	const kept = await profiles.find(id, 'Pms');
	t.is(kept?.authorization, 'Basic c2VjcmV0');
	t.is(kept?.description, 'second');
	const other = (await shown()).replace('pms.example', 'evil.example');
	const refused = await t.throwsAsync(profiles.put(id, other, undefined, { name: 'Pms', version: 2 }), {
		instanceOf: ProfileError,
	});
	t.regex(refused!.message + refused!.moreInfo, /the stars only stand for it/);
	const more = `${await shown()}hosts: [evil.example]\n`;
	await t.throwsAsync(profiles.put(id, more, undefined, { name: 'Pms', version: 2 }), { instanceOf: ProfileError });
	await t.throwsAsync(
		profiles.put(id, await shown()),
		{ instanceOf: ProfileError },
		'nothing is kept unless asked for',
	);
});
