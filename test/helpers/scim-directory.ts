// An installation and a directory with a key of the account `agency`, which the tests of SCIM share.

import type { ExecutionContext } from 'ava';
import type { InjectOptions } from 'fastify';
import type { databases } from './database.ts';
import type { HttpAppOptions } from './http-app.ts';
import { openPortalApp } from './portal-app.ts';

export const USERS = '/scim/v2/Users';
export const GROUPS = '/scim/v2/Groups';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

export type Json = Record<string, unknown>;

export async function open(
	t: ExecutionContext,
	dialect: (typeof databases)[number] = 'sqlite',
	options: HttpAppOptions = {},
) {
	const parts = await openPortalApp(t, dialect, options);
	const agency = await parts.createCaller('agency', { permissions: ['ManagePeople'] });
	const call = async (
		method: NonNullable<InjectOptions['method']>,
		url: string,
		body?: unknown,
		headers: Record<string, string> = {},
	) => {
		const answer = await parts.app.inject({
			...{ method, url },
			headers: { authorization: `Bearer ${agency.apiKey}`, 'content-type': 'application/scim+json', ...headers },
			...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
		});
		const json = answer.body === '' ? {} : (JSON.parse(answer.body) as Json);
		if (answer.body !== '') t.is(answer.headers['content-type'], 'application/scim+json; charset=utf-8');
		return { status: answer.statusCode, json, headers: answer.headers };
	};
	const add = async (more: Json = {}) => {
		const person = { schemas: [USER], userName: 'Anna@agency.example', externalId: 'e-1', active: true, ...more };
		const { status, json } = await call('POST', USERS, person);
		t.is(status, 201, JSON.stringify(json));
		return json as Json & { id: string };
	};
	const patch = (id: string, ...Operations: Json[]) =>
		call('PATCH', `${USERS}/${id}`, { schemas: [PATCH], Operations });
	return { parts, agency, call, add, patch };
}
