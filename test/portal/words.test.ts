// Tests that refusals of the portal say what is lacking and who gives it, and that a whole number is no last four digits.

import test from 'ava';
import { REFUSALS, WARNINGS } from '../../src/base/card/verdict.ts';
import { NOTICE_PHRASES } from '../../src/doors/http/portal/pages/files/report-words.ts';
import { isTextKey, TEXTS } from '../../src/doors/http/portal/texts.ts';
import { UNRESOLVED } from '../../src/engine/detokenize.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';
import { files } from '../helpers/source-rules.ts';
import { sendPiece } from './files.setup.ts';

test('who lacks a right is told which, which roles have it, and who gives them', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const { statusCode, body } = await clerk.get('/portal/people');
	t.is(statusCode, 403);
	t.true(body.includes('Your role (Clerk) does not include the right people.see. These roles do: Manager.'));
	const german = await parts.signIn('viewer', { language: 'de' });
	t.true((await german.get('/portal/access')).body.includes('Diese Rollen umfassen es: Entwickler'));
});

test('who lacks a second factor is told so in place of a missing role', async (t) => {
	const parts = await openPortalApp(t);
	const weak = await parts.signIn('manager', { hasSecondFactor: false });
	const { statusCode, body } = await weak.get('/portal/files/detokenized/CSV/download?name=x.csv');
	t.is(statusCode, 403);
	t.true(body.includes('only in a session with a second factor'));
});

test('a whole card number that is pasted where four digits are wanted is refused and not cut to four', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	t.notRegex((await clerk.get('/portal/cards')).body, /name="last4"[^>]*maxlength/);
	const refused = await clerk.post('/portal/cards', { last4: '4111111111111111' });
	t.is(refused.statusCode, 400);
	t.true(refused.body.includes('Never type one here'));
	t.false(refused.body.includes('4111111111111111'));
});

test('what is said of a card in a report comes in the language of the reader, with what to do and the exact words', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const rows = ['4111111111111112,12/30,Visa', '4111111111111111,01/20,Visa', '4111111111111111,12/30,MasterCard'];
	const file = ['cardnumber,expiry,cardtype', ...rows, ''].join('\n');
	const { job } = (await sendPiece(parts, clerk, file, { name: 'may.csv' })).json();
	t.is(await runNextJob(parts), 'done');
	const tried = { fields: { filter: 'CSV', text: file }, files: { '': '' } };
	for (const { body } of [
		await clerk.get(`/portal/jobs/${job}`),
		await sendMultipart(parts, clerk, '/portal/try', tried),
	])
		for (const [code, exact] of Object.entries({
			luhn: REFUSALS.luhn,
			expired: REFUSALS.expired,
			'type-mismatch': WARNINGS['type-mismatch'],
		})) {
			const words = TEXTS.de[`files.reasons.${code}` as keyof typeof TEXTS.de];
			t.true(body.split(`${words} <small lang="en">${exact}</small>`).length > 1, `${code}: ${words}`);
		}
});

test('every refusal and warning of a card has words for people', (t) => {
	for (const verdict of [...Object.keys(REFUSALS), ...Object.keys(WARNINGS), ...Object.keys(UNRESOLVED)])
		t.true(isTextKey(`files.reasons.${verdict}`), verdict);
});

test('a notice of a report comes in the language of the reader with the exact words, and alone for an English one', async (t) => {
	const sources = files.map(({ lines }) => lines.join('\n')).join('\n');
	for (const [notice, phrase] of Object.entries(NOTICE_PHRASES)) {
		t.true(sources.split(phrase).length > 2, `${phrase} is in no text of a report`);
		t.true(isTextKey(`files.notices.${notice}`), notice);
	}
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const file = 'cardnumber,expiry,remark\n4111111111111111,12/30,5555555555554444\n';
	const { job } = (await sendPiece(parts, clerk, file, { name: 'may.csv' })).json();
	t.is(await runNextJob(parts), 'done');
	const german = (await clerk.get(`/portal/jobs/${job}`)).body;
	const lacks = 'The file has no column for the card type';
	t.true(german.includes(`<li>${TEXTS.de['files.notices.type-column']} <small lang="en">${lacks}</small></li>`));
	t.regex(
		german,
		new RegExp(`${TEXTS.de['files.notices.other-numbers']} <small lang="en">1 card number stands outside`),
	);
	t.true(german.includes(`${TEXTS.de['files.notices.other-stays']} <small lang="en">A card number stands outside`));
	const english = await (await parts.signIn('clerk')).get(`/portal/jobs/${job}`);
	t.true(english.body.includes(`<li>${lacks}</li>`));
});

test('a reason that a page gives in the language of its reader is not called English', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const { job } = (await sendPiece(parts, clerk, 'cardnumber\n4111111111111111\n', { name: 'may.csv' })).json();
	t.is(await runNextJob(parts), 'done');
	const { body } = await clerk.post(`/portal/jobs/${job}/retry`);
	t.regex(body, /role="alert">diese Datei ist nicht fehlgeschlagen[^<]*<\/p>/);
});

test('a list that is narrowed to nothing does not say that the whole of it is empty', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	await sendPiece(parts, manager, 'cardnumber\n4111111111111111\n', { name: 'may.csv' });
	const EMPTY =
		/No payment was sent|There is no card request here|There is nothing in this folder|No file came yet|No card is stored yet/;
	for (const path of [
		'payments?state=declined',
		'requests?state=LinkExpired',
		'files?show=failed',
		'cards?last4=0000',
	]) {
		const { body } = await manager.get(`/portal/${path}`);
		t.notRegex(body, EMPTY, path);
		t.regex(body, /class="empty"/, path);
	}
	const folder = await manager.get('/portal/files/tokenize/CSV?from=x');
	t.notRegex(folder.body, EMPTY);
	t.regex(folder.body, /Nothing fits\. Choose other filters/);
	t.regex((await manager.get('/portal/payments')).body, /No payment was sent/);
});
