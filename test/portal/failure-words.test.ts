// Tests that the page of a failed file says in its reader's language what happened and what to do next, and offers another
// attempt only where that can help.

import test from 'ava';
import { TEXTS } from '../../src/doors/http/portal/texts.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp, type SignedIn } from '../helpers/portal-app.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';
import { sendPiece } from './files.setup.ts';

async function openFailed(t: Parameters<typeof openPortalApp>[0]) {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	const { job } = (await sendPiece(parts, clerk, 'nothing here is a table\n"', { name: 'bad.csv' })).json();
	t.is(await runNextJob(parts), 'failed');
	const show = async (person: SignedIn) => (await person.get(`/portal/jobs/${job}`)).body;
	const failFor = (code: string, parameters: object) =>
		parts.database
			.knex('jobs')
			.where({ id: job })
			.update({
				error_code: code,
				error_parameters: JSON.stringify(parameters),
			});
	return { parts, clerk, job, show, failFor };
}

test('an allowance that is used up is said with its numbers and whom to ask, in the language of the reader', async (t) => {
	const { parts, clerk, show, failFor } = await openFailed(t);
	await failFor('allowance-used-up', { used: 16_022, limit: 10_000 });
	const german = await show(clerk);
	t.true(german.includes('Das Kontingent des Kontos ist aufgebraucht: 16.022 von 10.000.'));
	t.true(german.includes('Wenden Sie sich an den Betreiber.'));
	const english = await show(await parts.signIn('clerk'));
	t.true(english.includes('The allowance of the account is used up: 16,022 of 10,000.'));
	t.true(english.includes('Trying again helps only after that.'));
});

test('another attempt is offered only where it can help', async (t) => {
	const { clerk, job, show, failFor } = await openFailed(t);
	const button = `action="/portal/jobs/${job}/retry"`;
	const page = await show(clerk);
	t.false(page.includes(button), 'the file itself is wrong');
	t.true(page.includes('Berichtigen Sie die Datei'));
	for (const [code, isOffered] of [
		['input-missing', false],
		['worker-gone', true],
		['options-unfit', true],
		['file-not-text', false],
	] as const) {
		await failFor(code, { problems: 'x', found: 'x' });
		t.is((await show(clerk)).includes(button), isOffered, code);
		t.true((await show(clerk)).includes(TEXTS.de[`failure.codes.${code}`]), code);
	}
});

test('a trial says why a file would be refused in the words of a job that failed, with the exact ones beside them', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk', { language: 'de' });
	for (const [filter, text, code, next] of [
		['SIMPLECSV', 'a,b\n"', 'table-malformed', 'correct-file'],
		['SIMPLEJSON', '{"note":"4111111111111111"}', 'file-without-card-field', 'correct-options'],
	] as const) {
		const { body } = await sendMultipart(parts, clerk, '/portal/try', { fields: { filter, text } });
		const said = /<p class="notice bad"[^>]*>(.*?)<\/p>/s.exec(body)![1];
		const words = TEXTS.de[`failure.codes.${code}`].replace('{numbers}', '1');
		t.true(
			said.startsWith(`${TEXTS.de['trial.refused']} ${words} ${TEXTS.de[`failure.next.${next}`]} <small lang="en">`),
			said,
		);
	}
});
