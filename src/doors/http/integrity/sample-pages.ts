// Writes a sample of each payment page. A sample is made by the code of the page itself, and is always the same: it has no
// account, and its form can store nothing.

import type { Clock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { credentialHasher } from '../../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { FormOptions } from '../../../work/cardholders/forms/form-options.ts';
import { formPage } from '../forms/form-page.ts';
import { type AnsweredPage, basePathOf } from '../pages/answer-page.ts';
import { headingOf } from '../requests/request-heading.ts';
import { viewPage } from '../requests/view-page.ts';
import type { HttpSettings } from '../settings.ts';
import { isSampleSecret, SAMPLES, type SampleName } from './sample-links.ts';

export type SamplePages = ReturnType<typeof openSamplePages>;

export type PageSettings = Pick<HttpSettings, 'baseUrl' | 'hideSeconds'>;

const LANGUAGE = 'en';
const NOW = new Date('2026-01-01T00:00:00Z');
const NOBODY = 0 as AccountId;
/** A form with this id is not stored, so whatever is submitted with it is refused. */
const FORM_ID = 'cf_sample';

export function openSamplePages(options: { clock: Clock; settings: PageSettings; keyRing: KeyRing }) {
	const { keyRing, clock, settings } = options;
	const hasher = credentialHasher(keyRing);
	return {
		async find(name: SampleName, secret: string): Promise<AnsweredPage | undefined> {
			const isSample = await isSampleSecret(hasher, name, { secret, now: clock.now() });
			return isSample ? samplePage(name, settings) : undefined;
		},
	};
}

export function samplePage(name: SampleName, { baseUrl, hideSeconds }: PageSettings): AnsweredPage {
	const basePath = basePathOf(baseUrl);
	if (name === 'card-view') {
		const path = `${basePath}${SAMPLES[name].place}/sample`;
		return { page: viewPage({ language: LANGUAGE, path, hideSeconds }), basePath };
	}
	const view = { language: LANGUAGE, hidesCard: true };
	const options: FormOptions =
		name === 'cvv-form'
			? { kind: 'cvv', token: '' as Token, view }
			: {
					kind: 'card',
					cvv: 'required',
					detectsType: true,
					asksOwnerId: false,
					checksName: true,
					eliminatesDuplicates: false,
					view,
				};
	const request = { kind: 'card', reference: 'sample', id: 'sample', lastDigits: undefined, expiresAt: NOW } as const;
	const heading = name === 'card-request' ? headingOf(request, 'Tokendrop', LANGUAGE) : undefined;
	const form = { accountId: NOBODY, ownerId: NOBODY, options };
	return formPage({ id: FORM_ID, form, heading }, { css: '', frameAncestors: [], now: NOW, basePath });
}
