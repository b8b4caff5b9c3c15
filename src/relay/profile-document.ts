// A profile as people write it, YAML or JSON, checked on save: everything that is wrong is said at once, with its place.

import type { z } from 'zod';
import { nearestName } from '../settings/layers.ts';
import type { Profile } from './profile.ts';
import { ProfileError, type ProfileProblem, pathOf } from './profile-problems.ts';
import { type Environment, findBrokenRules, normalHost } from './profile-rules.ts';
import { AT_KEY, knownKeys, profileSchema, selectorSchema } from './profile-schema.ts';
import { type ProfileText, readProfileText } from './profile-text.ts';
import { SelectorProblems } from './selectors/problems.ts';
import { compileSelectors, type Selectors } from './selectors/selectors.ts';

/** A profile that can be used: its selectors compile. */
export interface ReadyProfile extends Profile {
	readonly selectors: Selectors;
}

export interface ParseOptions {
	readonly environment: Environment;
	/** Presets may leave the target to their callers in production too, only tokenize, and say what they are for. */
	readonly isPreset?: boolean;
	/** Names the text in messages: a file. */
	readonly source?: string;
}

/** Of a text that is nothing like a profile, enough is said with these. */
const MAX_PROBLEMS = 100;

/** Reads a profile from YAML or JSON. @throws ProfileError with every problem there is. */
export function parseProfile(text: string, options: ParseOptions): Profile {
	const { selectors: _, ...profile } = parseReadyProfile(text, options);
	return profile;
}

/** The same, with the selectors it was checked by. @throws ProfileError */
export function parseReadyProfile(text: string, options: ParseOptions): ReadyProfile {
	const written = readProfileText(text);
	// A text that cannot be read to its end would be blamed for what it does say.
	if (written.problems.length > 0) throw new ProfileError(written.problems, options.source);
	const value = written.value ?? {};
	const parsed = profileSchema.safeParse(value);
	const selectors = compiledSelectors(value, written);
	const problems = [
		...(parsed.error?.issues ?? []).slice(0, MAX_PROBLEMS).flatMap((issue) => problemsOf(issue, written)),
		...findBrokenRules(value, options).map(({ path, rule }) => written.problemAt(path, rule)),
		...selectors.problems,
	];
	if (problems.length > 0) throw new ProfileError(inOrder(problems), options.source);
	const profile = parsed.data as Profile;
	return { ...profile, hosts: profile.hosts.map(normalHost), selectors: selectors.compiled! };
}

function problemsOf(issue: z.core.$ZodIssue, written: ProfileText): ProfileProblem[] {
	if (issue.code === 'custom' && issue.params === AT_KEY) return [written.problemAtKey(issue.path, issue.message)];
	if (issue.code !== 'unrecognized_keys') return [written.problemAt(issue.path, issue.message)];
	const known = knownKeys(issue.path);
	return issue.keys.slice(0, MAX_PROBLEMS).map((name) => {
		const nearest = nearestName(name, known);
		const hint = nearest === null ? `one of ${known.join(', ')}` : `perhaps ${nearest}`;
		return written.problemAtKey([...issue.path, name], `no such key; ${hint}`);
	});
}

function inOrder(problems: readonly ProfileProblem[]): ProfileProblem[] {
	// Shape and rules may find the same fault; at one place, what was found first says it best.
	const byPlace = new Map<string, ProfileProblem>();
	for (const problem of problems) {
		if (!byPlace.has(problem.pointer)) byPlace.set(problem.pointer, problem);
	}
	return [...byPlace.values()].sort((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_PROBLEMS);
}

/** Selectors of whatever of the document they need, as far as that is well formed. */
function compiledSelectors(value: unknown, written: ProfileText): { compiled?: Selectors; problems: ProfileProblem[] } {
	const { data } = selectorSchema.safeParse(value);
	if (data === undefined) return { problems: [] };
	try {
		return { compiled: compileSelectors(data), problems: [] };
	} catch (error) {
		if (!(error instanceof SelectorProblems)) throw error;
		return { problems: error.problems.map(({ pointer, message }) => written.problemAt(pathOf(pointer), message)) };
	}
}
