// Checks that docs/compliance.md and docs/threat-model.md point at files, commands, settings and entries of the trail that
// exist.

import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { leaves } from '../../src/base/settings/schema.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { LIST_PATH } from '../../src/doors/http/integrity/integrity-list.ts';
import { EFFECTS } from '../../src/people/identity/effects.ts';
import { commandRules } from '../../src/people/operators/roles.ts';
import { needsFactor } from '../../src/people/portal-users/entitled.ts';
import type { PortalSettings } from '../../src/people/portal-users/options.ts';
import { ACCOUNT_ROLES } from '../../src/people/portal-users/rights.ts';
import { PROOF_MS } from '../../src/people/portal-users/sign-in/login.ts';
import { sourceFiles } from '../helpers/source-files.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(`docs/${name}`, ROOT), 'utf8');
const PAGES = ['compliance.md', 'threat-model.md'];
const source = sourceFiles('src')
	.flatMap(({ lines }) => lines)
	.join('\n');

/** Returns the texts that a page has between backticks. */
function named(page: string): string[] {
	return [...new Set([...read(page).matchAll(/`([^`]+)`/g)].map(([, text]) => text))];
}

for (const page of PAGES) {
	test(`${page} points at files, commands and settings that there are`, (t) => {
		const names = named(page);
		t.true(names.length > 20);
		for (const name of names) {
			if (/^(src|test|\.ci)\//.test(name)) t.true(existsSync(new URL(name, ROOT)), name);
			const words = name.replace(/ --.*/, '');
			const first = words.split(' ')[0];
			const isCommand = Object.keys(commandRules).some((command) => command.startsWith(`${first} `));
			if (isCommand && words !== first) t.true(Object.hasOwn(commandRules, words), name);
			const isSetting = leaves.some(({ path }) => path.length > 1 && name.startsWith(`${path[0]}.`));
			const isEntry = source.includes(`'${name}'`);
			if (isSetting && !isEntry && !name.includes('*')) {
				t.true(
					leaves.some(({ key }) => key === name),
					name,
				);
			}
			const [, option] = / (--[\w-]+)/.exec(name) ?? [];
			if (option !== undefined && isCommand) t.true(source.includes(option), name);
		}
	});
}

test('every entry of the trail that the pages name is written by some code', (t) => {
	const areas =
		'account|api-key|approval|audit|ban|card|command|credential|daemon|destination|file|installation|key|login|operator|page|portal|profile|ssh-key';
	const entries = PAGES.flatMap(named).filter((name) => new RegExp(`^(${areas})\\.[a-z-]+$`).test(name));
	t.true(entries.length > 15);
	for (const entry of entries) {
		const verb = entry.split('.')[1];
		t.true(
			source.includes(`'${entry}'`) || source.includes(`\`${entry.split('.')[0]}.\${`) || source.includes(`.${verb}'`),
			entry,
		);
	}
});

test('every requirement that a program can answer has a row, and every row both sides', (t) => {
	const rows = read('compliance.md')
		.split('\n')
		.filter((line) => /^\| \d/.test(line));
	t.true(rows.length > 60);
	for (const row of rows) t.is(row.split('|').length, 5, row);
	for (const chapter of ['3.', '4.', '6.', '7.', '8.', '10.', '11.5', '11.6']) {
		t.true(
			rows.some((row) => row.startsWith(`| ${chapter}`)),
			chapter,
		);
	}
});

test('the rows say what the code does: how numbers leave, who needs a second factor, what the trail has', (t) => {
	const rows = read('compliance.md').split('\n');
	const row = (requirement: string) => rows.find((line) => line.startsWith(`| ${requirement}`))!;
	for (const [effect, permission] of Object.entries(EFFECTS))
		if (/^(moves|shows-number|gives-away)/.test(effect)) t.true(row('3.4.2').includes(`\`${permission}\``), effect);
	const production = { environment: 'production', secondFactor: 'operators' } as PortalSettings;
	for (const role of ACCOUNT_ROLES)
		t.is(needsFactor({ role }, production), row('8.4.1').includes(`${role}s`) && role !== 'viewer', role);
	t.regex(row('8.4.1'), /that is clerks, developers and managers/);
	t.true(row('8.3.3').includes(`within ten minutes`) && PROOF_MS === 10 * 60_000);
	for (const entry of ['login.failed', 'command.refuse', 'portal.refuse'])
		t.true(row('10.2.1.4').includes(`\`${entry}\``));
	t.true(row('4.2.2').includes('`mail.host`'));
	for (const said of ['page.altered', LIST_PATH, 'integrity', 'integrity.schedule', 'weekly'])
		t.true(row('11.6.1').includes(`\`${said}\``), said);
	t.regex(row('11.6.1'), /once a day/);
	t.is(loadSettings({ env: {} }).integrity.schedule, 'daily');
});
