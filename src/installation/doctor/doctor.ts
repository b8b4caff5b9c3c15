// Shows on one page whether an installation is well, and what to do if it is not. It works without a daemon.

import { existsSync } from 'node:fs';
import { why } from '../../base/failures.ts';
import { type Finding, lookAt, problem } from '../../people/operators/finding.ts';
import { OperatorError } from '../../people/operators/operator-error.ts';
import { CommandOver, UsageError } from '../frame/command.ts';
import { type CommandOpening, type InstallationParts, openCommandParts } from '../opening/open-parts.ts';
import { storeChecks } from './doctor-stores.ts';
import { upkeepChecks } from './doctor-upkeep.ts';
import { workChecks } from './doctor-work.ts';

export type { Finding } from '../../people/operators/finding.ts';

/** Runs all checks. It only ends early if something cannot be opened. */
export async function examine(
	context: CommandOpening,
	{ version, databaseFile, now = () => new Date() }: DoctorOptions,
): Promise<Finding[]> {
	const { settings } = context;
	const findings: Finding[] = [
		{
			part: 'versions',
			state: 'ok',
			says: `tokendrop ${version}, Node ${process.versions.node}, ${settings.environment}, data in ${settings.dataDir}`,
		},
	];
	if (databaseFile !== null && !existsSync(databaseFile)) {
		const todo =
			'run `tokendrop serve` or `tokendrop migrate` for a new installation, or say where it is: dataDir, databaseUrl, --config';
		const says = why(`there is none: ${databaseFile} does not exist`, 'not-looked-at');
		return [...findings, problem('database', says, todo)];
	}
	let parts: InstallationParts;
	try {
		parts = await openCommandParts(context);
	} catch (error) {
		// Somebody who may not run the command learns that, and nothing about the installation.
		if (error instanceof OperatorError || error instanceof UsageError || error instanceof CommandOver) throw error;
		const todo = 'docs/operations.md, "Start", has what to do about each of these messages';
		return [...findings, problem('database or keys', why((error as Error).message, 'not-looked-at'), todo)];
	}
	const checks = [
		...storeChecks(parts, settings, now),
		...workChecks(parts, settings, now),
		...upkeepChecks(parts, settings, now),
	];
	for (const check of checks) findings.push(...(await lookAt(check)));
	return findings;
}

export interface DoctorOptions {
	readonly version: string;
	readonly databaseFile: string | null;
	readonly now?: () => Date;
}
