// Reads the files in which an operator declares OpenID providers (docs/sso.md shows every key).

import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { DeclarationError, type PlaceOf, parseDeclared } from '../../../base/settings/declared-file.ts';
import { Secret } from '../../../base/settings/secret.ts';
import { letsNumbersOut } from '../grants.ts';
import { ACCOUNT_ROLES, type AccountRole } from '../rights.ts';

const CLAIM = z.string().min(1).max(255);
const TEXTS = z.array(z.string().regex(/^[\x21-\x7e]+$/, 'expected text without blanks'));

/** Roles with which somebody gets at card numbers are given by people, not by a group alone. */
const GIVEN_BY_GROUPS: readonly AccountRole[] = ACCOUNT_ROLES.filter((role) => !letsNumbersOut(role));

const rule = z.strictObject({
	group: CLAIM,
	account: z.string().min(1),
	role: z
		.enum(ACCOUNT_ROLES)
		.refine(
			(role) => GIVEN_BY_GROUPS.includes(role),
			`expected ${GIVEN_BY_GROUPS.join(', ')}: a manager gets at card numbers, so another manager makes one`,
		),
});

const schema = z.strictObject({
	name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected small letters, digits and -'),
	/** What the button says behind "Sign in with". */
	label: z.string().min(1).max(60),
	issuer: z
		.string()
		.regex(/^https?:\/\/[^\s?#@]+$/, 'expected an address without query or user name')
		.refine((text) => URL.canParse(text) && text.length <= 255, 'expected an address'),
	clientId: CLAIM,
	clientSecretFile: z.string().refine(isAbsolute, 'expected a whole path'),
	scopes: TEXTS.default([]),
	groupsClaim: CLAIM.default('groups'),
	nameClaim: CLAIM.default('preferred_username'),
	secondFactorAcrs: TEXTS.default([]),
	secondFactorClaim: z.enum(['acr', 'acrs']).default('acr'),
	/** The account whose directory creates people over SCIM, and the claim with what it calls `externalId`. */
	directory: z.strictObject({ account: z.string().min(1), claim: CLAIM }).optional(),
	/** True if the provider may have a private network address. */
	allowPrivate: z.boolean().default(false),
	rules: z.array(rule).default([]),
});

export type DeclaredProvider = Omit<z.infer<typeof schema>, 'clientSecretFile'> & { readonly clientSecret: Secret };
export type GroupRule = DeclaredProvider['rules'][number];

/** @throws DeclarationError with every problem of every file */
export function readProviders(folder: string, environment: 'sandbox' | 'production'): DeclaredProvider[] {
	const providers: DeclaredProvider[] = [];
	const problems: string[] = [];
	for (const file of namesIn(folder)) {
		try {
			const path = join(folder, file);
			const { declaration, placeOf } = parseDeclared(schema, readFileSync(path, 'utf8'), path);
			const { clientSecretFile, ...provider } = declaration;
			if (environment === 'production' && !provider.issuer.startsWith('https:'))
				throw new DeclarationError(`${placeOf(['issuer'])}: expected https in production`);
			for (const key of ['name', 'issuer'] as const)
				if (providers.some((other) => other[key] === provider[key]))
					throw new DeclarationError(`${placeOf([key])}: another provider has the same`);
			providers.push({ ...provider, clientSecret: readSecret(clientSecretFile, placeOf) });
		} catch (error) {
			if (!(error instanceof DeclarationError)) throw error;
			problems.push(error.message);
		}
	}
	if (problems.length > 0) throw new DeclarationError(problems.join('\n'));
	return providers;
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder)
			.filter((file) => /\.ya?ml$/.test(file))
			.sort();
	} catch (error) {
		throw new DeclarationError(`${folder}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
	}
}

function readSecret(file: string, placeOf: PlaceOf): Secret {
	const refuse = (problem: string): never => {
		throw new DeclarationError(`${placeOf(['clientSecretFile'])}: ${problem}`);
	};
	try {
		const text = readFileSync(file, 'utf8').trim();
		return text === '' ? refuse('the file is empty') : new Secret(text);
	} catch (error) {
		if (error instanceof DeclarationError) throw error;
		return refuse(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
	}
}
