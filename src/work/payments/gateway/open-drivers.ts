// Opens all drivers of an installation: the built-in ones, and those its operator has declared.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutboundClient } from '../../../base/outbound/http-client.ts';
import { DeclarationError } from '../../../base/settings/declared-file.ts';
import type { GatewayDriver } from './driver.ts';
import { adyenDriver } from './drivers/adyen.ts';
import { parseDeclaration } from './drivers/declaration.ts';
import { declaredDriver } from './drivers/declared.ts';
import { sandbox } from './drivers/sandbox.ts';
import { stripeDriver } from './drivers/stripe.ts';

/** @throws DeclarationError with every problem of every file in `driversDir` */
export function openDrivers(options: {
	readonly environment: 'sandbox' | 'production';
	readonly stripeBaseUrl: string;
	readonly adyenBaseUrl: string;
	readonly driversDir: string;
	readonly outbound: Pick<OutboundClient, 'call'>;
}): GatewayDriver[] {
	const { environment, stripeBaseUrl, adyenBaseUrl, driversDir, outbound } = options;
	const drivers = [stripeDriver(stripeBaseUrl), adyenDriver(adyenBaseUrl)];
	// In production a gateway that approves everything would let customers pay nothing, so the simulated one exists only
	// in the sandbox.
	if (environment === 'sandbox') drivers.push(sandbox);
	const names = new Set(drivers.map(({ name }) => name.toLowerCase()));
	const problems: string[] = [];
	for (const file of declarationFiles(driversDir)) {
		try {
			const { declaration, placeOf } = parseDeclaration(
				readFileSync(join(driversDir, file), 'utf8'),
				join(driversDir, file),
			);
			if (environment === 'production' && !declaration.baseUrl.startsWith('https:')) {
				throw new DeclarationError(
					`${placeOf(['baseUrl'])}: expected https in production, since card numbers go there`,
				);
			}
			const driver = declaredDriver(declaration, { placeOf, outbound });
			if (names.has(driver.name.toLowerCase())) {
				throw new DeclarationError(`${placeOf(['name'])}: another gateway has this name`);
			}
			names.add(driver.name.toLowerCase());
			drivers.push(driver);
		} catch (error) {
			if (!(error instanceof DeclarationError)) throw error;
			problems.push(error.message);
		}
	}
	if (problems.length > 0) throw new DeclarationError(problems.join('\n'));
	return drivers;
}

function declarationFiles(folder: string): string[] {
	return readdirSync(folder)
		.filter((file) => /\.ya?ml$/.test(file))
		.sort();
}
