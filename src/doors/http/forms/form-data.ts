// Collects the data for the script of a form: rules, texts and the origin with which the form exchanges messages, but
// nothing secret.

import { monthOf } from '../../../base/card/expiry.ts';
import type { Texts } from '../../../base/pages/languages/index.ts';
import type { FormOptions } from '../../../work/cardholders/forms/form-options.ts';

/** Returns the data for the script of a form. If the form asks for a CVV only, `brand` is the brand of its card. */
export function formData(options: FormOptions, texts: Texts, { now, brand }: { now: Date; brand?: number }) {
	const { view } = options;
	const { submit, submitting, stored, cvvStored, cvvBack, cvvFront } = texts.form;
	return {
		kind: options.kind,
		month: monthOf(now),
		texts: { submit, submitting, stored: options.kind === 'cvv' ? cvvStored : stored, cvvBack, cvvFront },
		problems: texts.problems,
		errors: texts.errors,
		autoFocus: view.autoFocuses ?? false,
		tellsNoProblems: view.tellsNoProblems ?? false,
		messageOrigin: view.messageOrigin,
		nonce: view.nonce,
		failure: view.failure,
		...(options.kind === 'cvv' && { brand: brand ?? 0 }),
		...(options.kind === 'card' && {
			cvv: options.cvv,
			detectsType: options.detectsType,
			defaultType: options.defaultType,
			types: options.types,
			minExpiry: options.minExpiry,
			asksOwnerId: options.asksOwnerId,
			checksName: options.checksName,
		}),
	};
}
