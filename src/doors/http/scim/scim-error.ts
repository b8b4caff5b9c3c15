// The errors of SCIM (RFC 7644, section 3.12), which have a form of their own.

import type { ServiceError } from '../../../base/errors.ts';

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

export type ScimType = 'uniqueness' | 'invalidFilter' | 'invalidSyntax' | 'invalidPath' | 'invalidValue' | 'mutability';

export class ScimError extends Error {
	override readonly name = 'ScimError';
	readonly status: number;
	readonly scimType: ScimType | undefined;

	constructor(status: number, detail: string, scimType?: ScimType) {
		super(detail);
		this.status = status;
		this.scimType = scimType;
	}
}

export function errorDocument(parts: Pick<ScimError, 'status' | 'scimType' | 'message'>) {
	const { status, scimType, message: detail } = parts;
	return { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType !== undefined && { scimType }), detail };
}

export function toScimError(error: ServiceError): ScimError {
	const { reason, status, said, moreInfo, message } = error;
	if (reason === 'uri-not-found') return new ScimError(404, 'there is no such person');
	if (reason === 'message-malformed') return new ScimError(400, moreInfo ?? message, 'invalidSyntax');
	if (reason !== 'bad-input-data') return new ScimError(status, moreInfo ?? message);
	const isTaken = said.problem?.startsWith('is taken');
	if (isTaken && said.field === 'displayName')
		return new ScimError(409, 'another group has this displayName', 'uniqueness');
	if (isTaken) return new ScimError(409, 'somebody has this userName', 'uniqueness');
	if (said.field === 'roles') return new ScimError(400, moreInfo ?? message, 'mutability');
	const names: Readonly<Record<string, string>> = { name: 'userName' };
	const field = names[said.field ?? ''] ?? said.field;
	const detail = field === undefined ? (moreInfo ?? message) : `${field}: ${said.problem}`;
	return new ScimError(400, detail, 'invalidValue');
}
