// The editor of a relay profile: its text, the problems in it, and a trial on an example.

import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { getAsset } from '../../../../../base/pages/assets.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { ProfileProblem } from '../../../../../work/relay/profiles/profile-problems.ts';
import { profileYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import type { StoredProfile } from '../../../../../work/relay/profiles/profiles.ts';
import { csrfField } from '../../csrf.ts';
import { wordsFor } from '../../failure-words.ts';
import { historyLink } from '../../kinds/history-link.ts';
import { notice, textField, time } from '../../pieces.ts';
import type { PortalAnswer, PortalCall } from '../../portal-page.ts';
import { PARTIES, partyPages } from './parties.ts';

export interface Editor {
	/** The name of the profile that is changed; empty for a new one. */
	readonly name: string;
	/** The version that the author began to edit, by which a change that somebody else made meanwhile is noticed. */
	readonly version: number;
	readonly text: string;
	readonly example?: string;
	readonly problems?: readonly ProfileProblem[];
	/**
	 * The profile as somebody else has saved it in the meantime; null if they have removed it, absent if they have not
	 * changed it.
	 */
	readonly changed?: StoredProfile | null;
	readonly trial?: Html;
	/** The reason why the profile was not saved, if it is neither in `problems` nor a change by somebody else. */
	readonly refusal?: Html;
}

export function editorPage(call: PortalCall, editor: Editor): PortalAnswer {
	const { say } = call;
	const { name, version, problems = [], changed, refusal } = editor;
	const isFailed = problems.length > 0 || refusal !== undefined;
	const save = say(changed === undefined ? 'words.save' : 'parties.saveOver');
	// Text and example are written back with masked card numbers, because an example may come from a real system.
	const body = html`${refusal !== undefined && notice('bad', refusal)}${changed !== undefined && changedPart(call, changed)}
${problems.length > 0 && problemList(call, problems)}
<form method="post" action="${PARTIES}/profiles/save" id="editor">${csrfField(call)}
<input type="hidden" name="name" value="${name}"><input type="hidden" name="version" value="${changed === undefined ? version : (changed?.version ?? 0)}">
${textField({
	name: 'text',
	label: say('parties.text'),
	hint: say('parties.textHint'),
	value: maskCardNumbers(editor.text),
	rows: 18,
	problem: problems.length > 0 ? say('parties.unusable') : undefined,
})}
${textField({ name: 'example', label: say('parties.example'), hint: say('parties.exampleHint'), value: maskCardNumbers(editor.example ?? ''), rows: 10 })}
<p class="actions"><button class="plain" formaction="${PARTIES}/profiles/try" id="try" data-part="trial">${say('parties.tryIt')}</button>
<button>${save}</button>
${name !== '' && html`<a class="button plain" href="${PARTIES}/profiles/${name}/remove">${say('words.remove')}</a>`}</p></form>
${editor.trial ?? emptyTrial()}${name !== '' && historyLink(call, { about: 'profile', name })}`;
	const title = name === '' ? say('parties.newProfile') : `${say('parties.profile')} ${name}`;
	const status = changed !== undefined ? 409 : isFailed ? 400 : 200;
	return partyPages.page({
		title,
		body,
		status,
		style: TRIAL_STYLE,
		scripts: [getAsset('portal-editor.js')],
	});
}

const emptyTrial = () => html`<section id="trial" aria-live="polite"></section>`;

const TRIAL_STYLE = `
#trial mark { color: var(--on-accent); background: var(--accent); border-radius: 3px; padding: 0 0.125rem; }
#trial mark small { color: inherit; opacity: 0.9; }
#editor textarea { font-size: 0.9375rem; white-space: pre; overflow-wrap: normal; overflow-x: auto; }
`;

function changedPart(call: PortalCall, changed: StoredProfile | null): Html {
	const { say } = call;
	if (changed === null) return notice('bad', say('parties.removedMeanwhile'));
	const said = say('parties.changedMeanwhile', { version: changed.version });
	return html`${notice('bad', html`${said} ${time(changed.updatedAt, call.language)}`)}
<h2>${say('parties.theirs')}</h2><pre tabindex="0" id="theirs">${profileYaml(changed.profile)}</pre><h2>${say('parties.mine')}</h2>`;
}

export function problemList(call: PortalCall, problems: readonly ProfileProblem[]): Html {
	const { say } = call;
	const item = ({ line, column, pointer, rule, told }: ProfileProblem) =>
		html`<li><a href="#text" data-line="${line}" data-column="${column}">${say('parties.place', { line, column })}</a>${pointer !== '' && html` <code>${pointer}</code>`}: ${wordsFor(call, { reason: rule, told })}</li>
`;
	return html`<div class="notice bad" role="alert"><p>${say('parties.unusable')}</p><ul id="problems">${problems.map(item)}</ul></div>`;
}
