// Checks docs/profiles.md: its examples do what they show, and its tables name every key there is.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { knownKeys } from '../../src/work/relay/profiles/profile-schema.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/profiles.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));

/** The examples of the page: a profile, a body, and what `profile test` says of them. */
const examples = blocks.flatMap(({ language, text }, index) =>
	language === 'yaml' ? [{ profile: text, body: blocks[index + 1].text, output: blocks[index + 2].text }] : [],
);

test('there is an example of every body', (t) => {
	const bodies = examples.map(({ profile }) => /^body: (\w+)$/m.exec(profile)?.[1]);
	t.deepEqual([...new Set(bodies)].sort(), ['form', 'json', 'text', 'xml']);
	t.is(examples.length, 8);
});

for (const { profile, body, output } of examples) {
	test(`the example ${/^name: (\w+)$/m.exec(profile)?.[1]} finds what the page shows`, async (t) => {
		const run = openCommandRunner(t);
		const [profileFile, bodyFile] = ['profile.yaml', 'body'].map((name) => join(run.dataDir, name));
		writeFileSync(profileFile, profile);
		writeFileSync(bodyFile, body);
		const { stdout, stderr } = await run.text('profile', 'test', '--file', profileFile, '--body', bodyFile);
		t.is(stderr, '');
		t.is(stdout, output);
	});
}

test('the tables name every key, and no other', (t) => {
	const keysIn = (heading: string) => {
		const table = page.slice(page.indexOf(heading)).split('\n\n')[0];
		return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
	};
	t.deepEqual(keysIn('| Key | Default |'), [...knownKeys([])]);
	const ofParts = ['number', 'expiryMonth', 'expiryYear', 'type'].flatMap((part) => knownKeys(['cards', 0, part]));
	t.deepEqual(new Set(keysIn('| Key | Of |')), new Set(ofParts));
	for (const key of [...knownKeys(['cards', 0]), ...knownKeys(['clientCertificate'])])
		t.true(page.includes(`\`${key}\``), key);
});

test('every preset that comes along is listed', (t) => {
	const files = readdirSync(join(root, 'config/presets'));
	const names = files.map(
		(file) => /^name: (\w+)$/m.exec(readFileSync(join(root, 'config/presets', file), 'utf8'))?.[1],
	);
	const listed = [...page.slice(page.indexOf('| Preset |')).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
	t.deepEqual(listed.sort(), names.sort());
});

test('every command on the page exists with its options', async (t) => {
	const run = openCommandRunner(t);
	const lines = blocks.flatMap(({ language, text }) => (language === 'sh' ? text.trim().split('\n') : []));
	t.is(lines.length, 5);
	for (const line of lines) {
		const words = line.replace('npm run -s tokendrop -- ', '').split(' ');
		const { code, stdout } = await run.text(words[0], words[1], '--help');
		t.is(code, 0, line);
		for (const option of words.filter((word) => word.startsWith('--')))
			t.regex(stdout, new RegExp(`^\\s+${option}\\b`, 'm'));
	}
});
