// Tests that what is wrong with a document, and what is found about the installation, is said in the language of its reader,
// with the exact words beside it, marked as English. English readers get the exact words alone.

import test from 'ava';
import { REFUSALS } from '../../src/base/card/verdict.ts';
import type { FailureCode } from '../../src/base/failures.ts';
import { PORTAL_LANGUAGES, type PortalLanguage, sayIn, TEXTS } from '../../src/doors/http/portal/texts.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const NUMBER = '4111111111111111';
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const ROUTE = { name: 'nightly', operation: 'none', when: 'hand' };
const PROFILE =
	'name: Pms\ndirection: replace\nbody: json\ntargetUri: https://a.example\ncards:\n  - number: $.number\n';
const SERVER = { name: 'bank', host: 'sftp.example', userName: 'u', password: 'secret' };
const OPTIONS = { version: 'none', act: 'save' };

interface Case {
	readonly path: string;
	readonly form: Record<string, string>;
	/** The member that the page names. */
	readonly member: string;
	readonly code: FailureCode;
	readonly values?: Record<string, string>;
	readonly exact: string;
}

const CASES: readonly Case[] = [
	{
		...{ path: 'new-route', form: ROUTE, member: 'from', code: 'member-missing' },
		exact: 'is required: a destination, a drop or a folder',
	},
	{
		...{ path: 'new-route', form: { ...ROUTE, name: NUMBER }, member: 'name', code: 'like-a-card' },
		exact: 'looks like a card number: expected another name',
	},
	{
		...{ path: 'new-route', form: { ...ROUTE, files: 'a/b' }, member: 'from.files[0]', code: 'pattern-malformed' },
		exact: 'expected a pattern of names, without folders: * and ? stand for characters',
	},
	{
		...{ path: 'new-route', form: { ...ROUTE, toName: '{nmae}' }, member: 'to.name', code: 'placeholder-unknown' },
		values: { known: '{name} {stem} {ext} {seq} {run} {filter} {date:…} {time:…}' },
		exact: '{nmae} is not known here; expected {name} {stem} {ext} {seq} {run} {filter} {date:…} {time:…}',
	},
	{
		...{ path: 'parties/profiles/save', form: { text: `${PROFILE}hots: x` }, member: '/hots' },
		...{ code: 'member-unknown', values: { known: 'hosts' }, exact: 'no such key; perhaps hosts' },
	},
	{
		...{ path: 'parties/profiles/save', form: { text: PROFILE.replace('json', 'yaml') }, member: '/body' },
		...{ code: 'not-one-of', values: { choices: 'xml, json, form, text' }, exact: 'expected xml, json, form or text' },
	},
	{
		...{ path: 'parties/profiles/save', form: { text: PROFILE.replace('$.number', '/number') } },
		...{ member: '/cards/0/number/path', code: 'path-malformed' },
		exact: 'expected a JSONPath (RFC 9535) that begins with "$"',
	},
	{
		...{ path: 'parties/profiles/save', form: { text: 'a: [' }, member: '', code: 'document-malformed' },
		exact: 'expected valid YAML or JSON (BAD_INDENT)',
	},
	{
		...{ path: 'parties/profiles/try', form: { text: `${PROFILE}hots: x`, example: '{}' }, member: '/hots' },
		...{ code: 'member-unknown', values: { known: 'hosts' }, exact: 'no such key; perhaps hosts' },
	},
	{
		...{ path: 'parties/destinations/save', form: { ...SERVER, port: '0' }, member: 'port', code: 'not-in-range' },
		...{ values: { from: '1', to: '65.535' }, exact: 'expected a port, 1 to 65535' },
	},
	{
		...{ path: 'parties/destinations/save', form: { ...SERVER, password: '' }, member: '', code: 'secret-missing' },
		exact: 'a password or a privateKey is required',
	},
	{
		...{ path: 'folders/CSV', form: { ...OPTIONS, options: '{"onRefused":"no"}' }, member: 'onRefused' },
		...{ code: 'not-one-of', values: { choices: 'pass, mask, reject' } },
		exact: 'Invalid option: expected one of "pass"|"mask"|"reject"',
	},
	{
		...{ path: 'folders/CSV', form: { ...OPTIONS, options: '{"onRefsed":"mask"}' }, member: 'options' },
		...{ code: 'name-unknown', values: { names: 'onRefsed' }, exact: 'Unrecognized key: "onRefsed"' },
	},
	{
		...{ path: 'folders/CSV', form: { ...OPTIONS, options: `{"merchantId":"${NUMBER}"}` }, member: '' },
		...{ code: 'like-a-card', exact: 'options must not hold card numbers' },
	},
];

for (const language of Object.keys(PORTAL_LANGUAGES) as PortalLanguage[]) {
	test(`what is wrong with a document is said in ${language}`, async (t) => {
		const parts = await openPortalApp(t);
		const manager = await parts.signIn('manager', { language });
		for (const { path, form, member, code, values = {}, exact } of CASES) {
			const { body } = await manager.post(`/portal/${path}`, { ...form, version: form.version ?? '0' });
			const words = sayIn(language)(`failure.codes.${code}`, values);
			const about = `${path} ${code}`;
			t.false(body.includes(NUMBER), about);
			t.true(member === '' || body.includes(`${member}: `) || body.includes(`<code>${member}</code>: `), about);
			const [said] = language === 'de' ? [escaped(words)] : escaped(words).split(/: |\d/);
			if (language === 'en') t.true(body.includes(escaped(exact)) && !body.includes(`<small lang="en">`), about);
			else
				t.true(body.includes(said) && body.includes(`<small lang="en">${escaped(exact)}</small>`), `${about}: ${said}`);
		}
	});

	test(`what a trial of a profile finds is said in ${language}`, async (t) => {
		const parts = await openPortalApp(t);
		const manager = await parts.signIn('manager', { language });
		const text = `${PROFILE.replace('replace', 'tokenize')}    nameOnCard: $.nowhere\n`;
		const example = '{"number":"4111111111111112","cvv":"123"}';
		const { body } = await manager.post('/portal/parties/profiles/try', { text, example });
		const texts = TEXTS[language];
		const remark = 'matches nothing: $ matches 1, .nowhere after it matches nothing';
		const nothing = texts['failure.codes.path-finds-nothing'];
		t.true(body.includes(language === 'en' ? remark : `${nothing} <small lang="en">${remark}</small>`), body);
		t.true(body.includes(`${texts['files.reasons.luhn']} <small lang="en">${REFUSALS.luhn}</small>`), body);
		t.true(body.includes(texts['parties.looks.cvv']));
	});

	test(`what is found about the installation is said in ${language}`, async (t) => {
		const parts = await openPortalApp(t);
		const operator = await parts.signIn('operator', { language });
		const { body } = await operator.get('/portal/installation');
		const exact = 'none has ever run here: without one, no file is processed';
		const texts = TEXTS[language];
		t.true(body.includes(`<strong>${texts['installation.parts.daemon']}</strong>: `));
		t.notRegex(body, /<\/strong>: <small/, 'nothing is said in English alone');
		const words = `${texts['failure.codes.daemon-never-ran']} ${texts['failure.next.as-advised']}`;
		t.true(body.includes(language === 'en' ? `: ${exact}<` : `${words} <small lang="en">${exact}</small>`), body);
	});
}
