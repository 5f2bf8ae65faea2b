/** A grammar of the package @vscode/tree-sitter-wasm, and how to find the symbols in its trees. */
export interface Language {
  readonly grammar: string;
  /** Each pattern captures the whole symbol under its kind, and its `name`. */
  readonly symbols: string;
}

const SCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @variable)
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name))) @variable)`;

const TYPESCRIPT = `${SCRIPT}
(function_signature name: (_) @name) @function
(abstract_class_declaration name: (_) @name) @class
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name) @property
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace`;

const LANGUAGES = {
  typescript: { grammar: "typescript", symbols: TYPESCRIPT },
  tsx: { grammar: "tsx", symbols: TYPESCRIPT },
  javascript: {
    grammar: "javascript",
    symbols: `${SCRIPT}
(field_definition property: (_) @name) @property
(program (variable_declaration (variable_declarator name: (identifier) @name)) @variable)`,
  },
  python: {
    grammar: "python",
    symbols: `
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name)) @variable)`,
  },
  go: {
    grammar: "go",
    symbols: `
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_spec name: (_) @name) @type
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))`,
  },
  java: {
    grammar: "java",
    symbols: `
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(field_declaration declarator: (variable_declarator name: (_) @name)) @field`,
  },
  csharp: {
    grammar: "c-sharp",
    symbols: `
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(struct_declaration name: (_) @name) @struct
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(property_declaration name: (_) @name) @property
(namespace_declaration name: (_) @name) @namespace`,
  },
  cpp: {
    grammar: "cpp",
    symbols: `
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @namespace
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (_) @name) @macro
(preproc_function_def name: (_) @name) @macro`,
  },
  rust: {
    grammar: "rust",
    symbols: `
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(mod_item name: (_) @name) @module
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(type_item name: (_) @name) @type
(macro_definition name: (_) @name) @macro`,
  },
  ruby: {
    grammar: "ruby",
    symbols: `
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(program (assignment left: (constant) @name) @constant)`,
  },
  php: {
    grammar: "php",
    symbols: `
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method`,
  },
  bash: { grammar: "bash", symbols: "(function_definition name: (_) @name) @function" },
  powershell: {
    grammar: "powershell",
    symbols: "(function_statement (function_name) @name) @function (class_statement (simple_name) @name) @class",
  },
  css: { grammar: "css", symbols: "(rule_set (selectors) @name) @selector" },
  ini: { grammar: "ini", symbols: "(section (section_name) @name) @section" },
} as const satisfies Readonly<Record<string, Language>>;

/** The languages whose grammar we have. */
export type LanguageName = keyof typeof LANGUAGES;

const BY_EXTENSION: Readonly<Record<string, LanguageName>> = {
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  py: "python",
  pyi: "python",
  go: "go",
  java: "java",
  cs: "csharp",
  c: "cpp",
  h: "cpp",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hh: "cpp",
  hpp: "cpp",
  rs: "rust",
  rb: "ruby",
  rake: "ruby",
  php: "php",
  sh: "bash",
  bash: "bash",
  ps1: "powershell",
  psm1: "powershell",
  css: "css",
  ini: "ini",
  cfg: "ini",
};

/** The language of a file by its name; undefined when we have no grammar for it. */
export function languageOf(file: string): LanguageName | undefined {
  const [, extension = ""] = /\.([^./\\]+)$/.exec(file) ?? [];
  return BY_EXTENSION[extension.toLowerCase()];
}

/** A language's grammar and patterns. */
export function findLanguage(name: LanguageName): Language {
  return LANGUAGES[name];
}
