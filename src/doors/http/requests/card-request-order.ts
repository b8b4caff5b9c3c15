// Reads the body of the call that creates a card request.

import { ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { MAIL_ADDRESS } from '../../../base/settings/card-page-keys.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { CardRequestPlan } from '../../../work/cardholders/requests/card-request.ts';
import type { Members } from '../input/members.ts';
import { findCardTypes } from '../tokens/card-body.ts';
import type { CardRequestOrder } from './card-request-schema.ts';

/**
 * Reads the content of a new card request.
 * @throws ServiceError if `SenderID` is not the user ID of the caller, or a member is not valid
 */
export async function readCardRequest(
	body: Members<CardRequestOrder>,
	{ principal, origins }: { readonly principal: Principal; readonly origins: Pick<Identity['origins'], 'allows'> },
): Promise<CardRequestPlan> {
	checkSender(principal, body.getText('SenderID'));
	const url = async (name: 'SuccessUrl' | 'FailureUrl') => {
		const text = body.findText(name);
		if (text === undefined || (await isAllowedUrl(text, principal, origins))) return text;
		const problem = 'expected an address with https of an origin that the account has registered';
		throw body.problem(name, problem, told('origin-not-registered'));
	};
	return {
		recipient: {
			name: body.findText('RecipientName'),
			email: readEmail(body, 'RecipientEmail'),
			phone: body.findText('RecipientPhone'),
		},
		language: body.findText('Language'),
		css: body.findText('Css'),
		reference: body.findText('CreatorReference'),
		requireCvv: readRequireCvv(body, principal),
		cardTypes: findCardTypes(body, 'CardTypes'),
		expirationMinutes: body.findInteger('ExpirationMinutes'),
		successUrl: await url('SuccessUrl'),
		failureUrl: await url('FailureUrl'),
	};
}

/** Reads a mail address. @throws ServiceError if it is not valid */
export function readEmail<T>(body: Members<T>, name: string): string | undefined {
	const email = body.findUnchecked(name as never);
	if (email === undefined || MAIL_ADDRESS.test(email)) return email;
	throw body.problem(name, 'expected a mail address', told('mail-address-malformed'));
}

/**
 * Reads whether the cardholder must enter a CVV.
 * @throws ServiceError if so, and the account may not keep CVVs
 */
function readRequireCvv(
	body: Members<CardRequestOrder>,
	{ cvvRetention }: Pick<Principal, 'cvvRetention'>,
): boolean | undefined {
	const requireCvv = body.findBoolean('RequireCvv');
	if (!requireCvv || cvvRetention) return requireCvv;
	throw new ServiceError('cvv-retention-not-set-up', {
		field: 'RequireCvv',
		problem: 'expected false, since the account keeps no CVV',
	});
}

async function isAllowedUrl(
	text: string,
	{ accountId }: Principal,
	origins: Pick<Identity['origins'], 'allows'>,
): Promise<boolean> {
	if (!/^https?:\/\//i.test(text) || /\s/.test(text) || !URL.canParse(text)) return false;
	const { origin, username, password } = new URL(text);
	return username === '' && password === '' && origins.allows(accountId, origin);
}

/**
 * Checks that a user ID in a request is that of the caller.
 * @throws ServiceError (spec §5.4.4)
 */
export function checkSender(principal: Pick<Principal, 'userId'>, senderId: string, field = 'SenderID'): void {
	if (senderId === principal.userId) return;
	throw new ServiceError('sender-mismatch', { field, problem: 'expected the user ID that the credential belongs to' });
}
