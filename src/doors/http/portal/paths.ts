const MAX_CHARACTERS = 2000;

/** Tells whether a text is a path of the portal. A redirect to any other URL could lead a user to another site. */
export function isPortalPath(text: string | undefined): text is `/portal${string}` {
	return text !== undefined && text.length <= MAX_CHARACTERS && /^\/portal(?:$|[/?#])[!-[\]-~]*$/.test(text);
}

/**
 * Adds the path of our public URL to the paths in markup, because a proxy may serve this installation under a folder.
 * The paths are found by the attributes that hold them. Values in markup are escaped, so no text in it is mistaken for
 * such an attribute.
 */
export function withBasePath(markup: string, basePath: string): string {
	if (basePath === '') return markup;
	const attribute = / ((?:data-)?href|action|formaction|src)="\/(?!\/)/g;
	return markup.replace(attribute, (_, name) => ` ${name}="${basePath}/`);
}
