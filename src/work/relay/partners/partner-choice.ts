// Decides which partner a call means: a stored destination, or one that the call describes itself.

import { posix } from 'node:path';
import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { badInput } from '../../../base/errors.ts';
import type { SftpPartner } from '../../../base/outbound/sftp/sftp-partner.ts';
import type { Secret } from '../../../base/settings/secret.ts';
import {
	DEFAULT_SFTP_PORT,
	fileNameProblem,
	findHost,
	folderProblem,
	HOST_RULE,
	nameProblem,
	readHostKeys,
	userNameProblem,
} from './destination.ts';
import type { Destinations } from './destinations.ts';

/** Holds the parameters of a call as they were received; a parameter that was not given is absent. */
export interface PartnerChoice {
	readonly destination?: string;
	readonly host?: string;
	readonly port?: number;
	readonly userName?: string;
	readonly password?: Secret;
	/** The fingerprints of the host keys that are accepted, separated by commas. */
	readonly hostKey?: string;
	/** The path at the partner. With a stored destination, it is below the destination's folder. */
	readonly path?: string;
	readonly fileName?: string;
}

export type PartnerFile = Awaited<ReturnType<typeof choosePartner>>;

/** A stored destination already decides these parameters, so a call must not give them too. */
const DECIDED = ['host', 'port', 'userName', 'password', 'hostKey'] as const;

/**
 * Chooses the partner that a call means.
 * @throws ServiceError that names the parameter and what was expected
 */
export async function choosePartner(
	choice: PartnerChoice,
	parts: {
		readonly destinations: Pick<Destinations, 'getPartner'>;
		readonly ownerId: AccountId;
		readonly environment: 'sandbox' | 'production';
	},
) {
	const { destinations, ownerId, environment } = parts;
	const fileName = choice.fileName ?? '';
	demand('fileName', fileNameProblem(fileName)?.reason ?? cardNumberProblem(fileName));
	const path = choice.path ?? '';
	demand('path', folderProblem(path)?.reason ?? cardNumberProblem(path));
	const { destination } = choice;
	const isStored = destination !== undefined;
	const { partner, folder } = isStored
		? await stored(choice, destinations, ownerId)
		: { partner: described(choice), folder: path };
	if (environment === 'production' && partner.hostKeys.length === 0) {
		const [field, rule] = isStored
			? (['destination', 'holds no host key; put it with one'] as const)
			: (['hostKey', 'is required: the fingerprint of the host key, SHA256: and 43 characters'] as const);
		throw badInput(field, rule);
	}
	return { partner, folder, fileName, destination };
}

async function stored(choice: PartnerChoice, destinations: Pick<Destinations, 'getPartner'>, ownerId: AccountId) {
	const { destination = '', path = '' } = choice;
	const decided = DECIDED.find((name) => choice[name] !== undefined);
	if (decided !== undefined) {
		throw badInput('destination', `not together with ${decided === 'password' ? 'X-service-Sftp-Password' : decided}`);
	}
	demand('destination', nameProblem(destination)?.reason);
	if (path.startsWith('/'))
		throw badInput('path', "expected a folder below the destination's own, without a leading slash");
	const { partner, folder } = await destinations.getPartner(ownerId, destination);
	return { partner, folder: path === '' ? folder : posix.join(folder || '.', path) };
}

function described({ host, port = DEFAULT_SFTP_PORT, userName = '', password, hostKey }: PartnerChoice): SftpPartner {
	if (host === undefined || host === '') throw badInput('host', 'is required, or a destination');
	const name = findHost(host);
	if (name === undefined) throw badInput('host', HOST_RULE.reason);
	demand('userName', userNameProblem(userName)?.reason ?? cardNumberProblem(userName));
	if (password === undefined) throw badInput('X-service-Sftp-Password', 'is required, or a destination');
	// In a query an unescaped plus sign arrives as a blank. Fingerprints contain no blanks, so every blank is turned back
	// into a plus sign.
	const texts = (hostKey ?? '')
		.split(',')
		.map((text) => text.trim().replaceAll(' ', '+'))
		.filter((text) => text !== '');
	const { pins: hostKeys, problem } = readHostKeys(texts);
	demand('hostKey', problem?.reason);
	return { host: name, port, userName, password, hostKeys };
}

function demand(field: string, problem: string | undefined): void {
	if (problem !== undefined) throw badInput(field, problem);
}
