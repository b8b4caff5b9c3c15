// Reads a profile that people write in YAML or JSON and checks it on save. All problems are reported at once with their
// places.

import type { z } from 'zod';
import { why } from '../../../base/failures.ts';
import { toldOfIssue } from '../../../base/schema-issues.ts';
import { SelectorProblems } from '../selectors/problems.ts';
import { compileSelectors, type Selectors } from '../selectors/selectors.ts';
import type { Profile } from './profile.ts';
import { unlocked } from './profile-certificates.ts';
import { MAX_PROBLEMS, ProfileError, type ProfileProblem, pathOf, unknownName } from './profile-problems.ts';
import { type Environment, findBrokenRules, normalHost } from './profile-rules.ts';
import { AT_KEY, knownKeys, profileSchema, selectorSchema } from './profile-schema.ts';
import { withStoredSecrets } from './profile-secrets.ts';
import { type ProfileText, readProfileText } from './profile-text.ts';

export interface ReadyProfile extends Profile {
	readonly selectors: Selectors;
}

export interface ParseOptions {
	readonly environment: Environment;
	/**
	 * True for a preset. Even in production, the caller may choose the target of a preset's calls. A preset only
	 * tokenizes, and must have a description.
	 */
	readonly isPreset?: boolean;
	/** The stored profile that the text replaces. Where it has stars, the secret of this profile is kept. */
	readonly stored?: Profile;
	/** The name of the text in messages, such as a file name. */
	readonly source?: string;
}

/**
 * Reads a profile from YAML or JSON.
 * @throws ProfileError with every problem found
 */
export function parseProfile(text: string, options: ParseOptions): Profile {
	const { selectors: _, ...profile } = parseReadyProfile(text, options);
	return profile;
}

/**
 * Reads a profile like `parseProfile`, and also returns the selectors that were compiled for the check.
 * @throws ProfileError
 */
export function parseReadyProfile(text: string, options: ParseOptions): ReadyProfile {
	const written = readProfileText(text);
	// If the text cannot be read completely as YAML or JSON, only the reasons for that are reported, because its content
	// cannot be judged.
	if (written.problems.length > 0) throw new ProfileError(written.problems, options.source);
	const value = withStoredSecrets(written.value ?? {}, options.stored);
	const parsed = profileSchema.safeParse(value);
	const selectors = compiledSelectors(value, written);
	const problems = [
		...(parsed.error?.issues ?? []).slice(0, MAX_PROBLEMS).flatMap((issue) => problemsOf(issue, written)),
		...findBrokenRules(value, options).map(({ path, rule }) => written.problemAt(path, rule)),
		...selectors.problems,
		...nameProblems(value, options.stored, written),
	];
	if (problems.length > 0) throw new ProfileError(inOrder(problems), options.source);
	const profile = parsed.data as Profile;
	const { clientCertificate } = profile;
	return {
		...profile,
		...(clientCertificate && { clientCertificate: unlocked(clientCertificate) }),
		hosts: profile.hosts.map(normalHost),
		selectors: selectors.compiled!,
	};
}

/** Reports a changed name. A profile keeps its name, because calls refer to it by name. */
function nameProblems(value: unknown, stored: Profile | undefined, written: ProfileText): ProfileProblem[] {
	const { name } = value as { readonly name?: unknown };
	if (stored === undefined || name === stored.name) return [];
	const rule = why(`expected ${stored.name}: a profile keeps its name`, 'not-one-of', { choices: stored.name });
	return [written.problemAt(['name'], rule)];
}

function problemsOf(issue: z.core.$ZodIssue, written: ProfileText): ProfileProblem[] {
	const rule = { reason: issue.message, told: toldOfIssue(issue) };
	if (issue.code === 'custom' && issue.params === AT_KEY) return [written.problemAtKey(issue.path, rule)];
	if (issue.code !== 'unrecognized_keys') return [written.problemAt(issue.path, rule)];
	const known = knownKeys(issue.path);
	return issue.keys
		.slice(0, MAX_PROBLEMS)
		.map((name) => written.problemAtKey([...issue.path, name], unknownName('key', name, known)));
}

function inOrder(problems: readonly ProfileProblem[]): ProfileProblem[] {
	// The schema and the rules may find the same fault, so only the first message for each place is kept.
	const byPlace = new Map<string, ProfileProblem>();
	for (const problem of problems) {
		if (!byPlace.has(problem.pointer)) byPlace.set(problem.pointer, problem);
	}
	return [...byPlace.values()].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS);
}

/** Compiles selectors from those parts of the document that are well formed. */
function compiledSelectors(value: unknown, written: ProfileText): { compiled?: Selectors; problems: ProfileProblem[] } {
	const { data } = selectorSchema.safeParse(value);
	if (data === undefined) return { problems: [] };
	try {
		return { compiled: compileSelectors(data), problems: [] };
	} catch (error) {
		if (!(error instanceof SelectorProblems)) throw error;
		return {
			problems: error.problems.map(({ pointer, message: reason, told }) =>
				written.problemAt(pathOf(pointer), { reason, told }),
			),
		};
	}
}
