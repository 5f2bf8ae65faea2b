import tseslint from "typescript-eslint";

const sources = [
  "packages/*/src/**/*.ts",
  "apps/{server,cli}/src/**/*.ts",
  "apps/console/{src/**/*.{ts,tsx},vite.config.ts}",
  "tests/**/*.ts",
  "tools/**/*.ts",
  "vitest.config.ts",
];

export default tseslint.config(
  { ignores: ["**/node_modules/**", "**/dist/**", "**/gen/**", "**/fixtures/**", ".quarry/**", "*-results/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: sources,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/no-non-null-assertion": "error",
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "no-empty": ["error", { allowEmptyCatch: false }],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportAllDeclaration", message: "List the names: a package's door is explicit." },
        { selector: "ExportDefaultDeclaration", message: "Export by name, so that every importer uses the same one." },
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: "Take the value as an argument; only apps/*/src/config.ts reads the environment.",
        },
      ],
      "no-restricted-properties": [
        "error",
        {
          object: "URL",
          property: "canParse",
          message: "Node 20 answers wrongly once it is compiled: isUrl of @quarry/base.",
        },
      ],
      "no-restricted-globals": [
        "error",
        {
          globals: [{ name: "fetch", message: "Go through the guarded dialer in packages/net." }],
          checkGlobalObject: true,
        },
      ],
    },
  },
  {
    files: [
      "apps/*/src/config.ts",
      "apps/console/src/api/send.ts", // a browser's fetch, to the server that served the page
      "vitest.config.ts",
      "tools/**/*.ts",
      "tests/**/*.ts",
      "**/*.test.ts",
      "**/testing.ts",
    ],
    rules: { "no-restricted-globals": "off" },
  },
  {
    // These read the environment or must export a default because their tool asks for it.
    files: [
      "apps/*/src/config.ts",
      "apps/console/vite.config.ts",
      "vitest.config.ts",
      "tools/**/*.ts",
      "tests/**/*.ts",
      "**/*.test.ts",
      "**/testing.ts",
    ],
    rules: { "no-restricted-syntax": ["error", { selector: "ExportAllDeclaration", message: "List the names." }] },
  },
  { files: ["apps/console/**"], rules: { "no-restricted-properties": "off" } }, // a browser's URL
  {
    files: ["**/*.test.ts"],
    rules: { "max-lines": ["error", { max: 800, skipBlankLines: true, skipComments: true }] },
  },
);
