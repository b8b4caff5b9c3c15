// Reads the gateway credentials that callers send, either in a body of their own or as part of an operation.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { type CredentialProblems, readCredentials } from '../../../work/payments/gateway/credentials.ts';
import type { Credentials, GatewayDriver } from '../../../work/payments/gateway/driver.ts';
import type { Gateway } from '../../../work/payments/gateway/gateway.ts';
import { FieldProblems } from '../input/field-problems.ts';
import type { Members } from '../input/members.ts';
import type { GatewayCredentials } from './order-schema.ts';

const ID = /^[A-Za-z0-9._-]{1,64}$/;

/** An id is stored in clear, so it must not look like a card number. */
export function isCredentialsId(text: string): boolean {
	return ID.test(text) && !holdsCardNumber(text);
}

/**
 * Returns the driver of the gateway that the member `Name` names, in upper or lower case.
 * @throws ServiceError if there is no such gateway
 */
export function getDriver(gateway: Gateway, members: Members<GatewayCredentials>): GatewayDriver {
	const driver = gateway.findDriver(members.getText('Name'));
	if (driver) return driver;
	throw members.problem('Name', `expected one of ${gateway.drivers.map(({ name }) => name).join(', ')}`);
}

/**
 * Returns the credentials that a caller sent as part of an operation.
 * @throws ServiceError that names the first invalid field
 */
export function getInlineCredentials(driver: GatewayDriver, members: Members<GatewayCredentials>): Credentials {
	const { credentials, problems } = readMembers(driver, members);
	for (const [field, [message]] of Object.entries(problems ?? {})) throw members.problem(field, message);
	return credentials;
}

/** @throws FieldErrors with every invalid field (spec §7.2.4) */
export function getCredentialsBody(
	gateway: Gateway,
	id: string,
	body: Members<GatewayCredentials>,
): { readonly driver: GatewayDriver; readonly credentials: Credentials } {
	const problems = new FieldProblems();
	if (!isCredentialsId(id)) {
		problems.add('credentialsId', 'expected 1 to 64 letters, digits, dots, hyphens or underscores');
	}
	const driver = problems.read(() => getDriver(gateway, body));
	// The driver of the gateway decides which credentials it needs.
	const read = problems.read(() => (driver ? readMembers(driver, body) : void body.findObject('Credentials')));
	for (const [field, messages] of Object.entries(read?.problems ?? {})) {
		for (const message of messages) problems.add(field, message);
	}
	if (!driver || !read) return problems.fail();
	problems.throwIfAny();
	return { driver, credentials: read.credentials };
}

/** Reads the member `Credentials`, whose names callers may write in upper or lower case. */
function readMembers(
	driver: GatewayDriver,
	members: Members<GatewayCredentials>,
): { readonly credentials: Credentials; readonly problems: CredentialProblems | undefined } {
	const given = members.findObject('Credentials');
	const names = driver.credentialsSchema.map(({ name }) => name);
	const texts = Object.fromEntries(names.map((name) => [name, given?.findText(name)]));
	const { credentials, problems } = readCredentials(driver, texts);
	const found: Record<string, readonly string[]> = {};
	for (const [name, messages] of Object.entries(problems ?? {})) found[`Credentials.${name}`] = messages;
	const known = new Set(names.map((name) => name.toLowerCase()));
	// If `Credentials` contains an unknown name, the error does not repeat that name, because the caller chose it and
	// it may be a secret.
	if (given?.names.some((name) => !known.has(name))) {
		found.Credentials = [names.length > 0 ? `expected nothing but ${names.join(', ')}` : 'this gateway needs none'];
	}
	return { credentials, problems: Object.keys(found).length > 0 ? found : undefined };
}
