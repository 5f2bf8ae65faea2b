import { readHtmlSite, stated, toIsoDate, type HtmlSite } from "./html-pages.ts";
import type { SampleSource } from "./sample-source.ts";

/** The sites whose pages Debian packages as HTML. */
export const HTML_SOURCES: readonly SampleSource[] = [
  debianSite("sqlite", "SQLite documentation", "sqlite3-doc", "D. Richard Hipp and the SQLite developers", {
    licence: "LicenseRef-public-domain",
    directory: "usr/share/doc/sqlite3",
    pages: `about appfileformat arch assert autoinc backup chronology codeofethics cpu cves
      datatype3 different famous faq fasterthanfs features flextypegood floatingpoint foreignkeys gencol 
      howitworks howtocorrupt isolation json1 lang_datefunc lang_returning lang_transaction
      lang_upsert lang_with limits lockingv3 mmap mostdeployed np1queryprob nulls partialindex
      queryplanner quirks rtree security serverless speed stricttables tempfiles threadsafe undoredo 
      useovernet wal whentouse whyc whynotgit withoutrowid
      releaselog/{3_6_19 3_7_0 3_8_0 3_9_0 3_15_0 3_24_0 3_28_0 3_31_0 3_35_0 3_37_0 3_38_0 3_39_0 3_40_0 3_40_1}`,
    toUrl: (page) => `https://www.sqlite.org/${page}.html`,
    facts: (html) => {
      const publishedDate = toIsoDate(stated(html, /SQLite Release \S+ On (\d{4}-\d{2}-\d{2})/));
      return publishedDate === undefined ? {} : { publishedDate, category: "news" };
    },
  }),
  debianSite("python", "Python 3.11 documentation", "python3.11-doc", "Python Software Foundation", {
    licence: "PSF-2.0",
    directory: "usr/share/doc/python3.11/html",
    pages: `about copyright faq/{design general gui installed library programming}
      howto/{annotations argparse curses descriptor functional ipaddress isolating-extensions pyporting sockets sorting
        unicode urllib2}
      library/{asyncio-queue base64 bisect calendar colorsys concurrent.futures contextvars csv
        difflib functools gc glob graphlib hashlib heapq json
        queue random sched secrets statistics struct tempfile textwrap time timeit tomllib 
        uuid venv weakref zoneinfo}
      tutorial/{appetite classes controlflow datastructures errors floatingpoint inputoutput interpreter introduction
        modules stdlib stdlib2 venv whatnow}
      whatsnew/{2.1 3.0 3.1}`,
    toUrl: (page) => `https://docs.python.org/3.11/${page}.html`,
    facts: (html) => ({
      author: stated(
        html,
        /<dt class="field-\w+">(?:Author|Editor)s?<span[^>]*>:<\/span><\/dt>\s*<dd[^>]*>(.*?)<\/dd>/s,
      ),
      publishedDate: toIsoDate(stated(html, /released on (\w+ \d{1,2}, \d{4})/)),
    }),
  }),
  debianSite(
    "postgresql",
    "PostgreSQL 15 documentation",
    "postgresql-doc-15",
    "The PostgreSQL Global Development Group",
    {
      licence: "PostgreSQL",
      directory: "usr/share/doc/postgresql-doc-15/html",
      pages: `intro-whatis history tutorial-concepts tutorial-table tutorial-populate tutorial-select tutorial-join tutorial-agg
      tutorial-views tutorial-fk tutorial-transactions tutorial-window tutorial-inheritance ddl-constraints
      ddl-generated-columns ddl-partitioning ddl-rowsecurity ddl-schemas indexes-intro indexes-types indexes-multicolumn
      indexes-partial indexes-expressional indexes-index-only-scans mvcc-intro transaction-iso explicit-locking
      mvcc-caveats using-explain planner-stats populate parallel-plans how-parallel-query-works backup-dump
      continuous-archiving warm-standby routine-vacuuming wal-intro wal-reliability wal-async-commit textsearch-intro
      textsearch-controls textsearch-indexes datatype-json datatype-uuid arrays rangetypes functions-window queries-with
      sql-insert sql-merge sql-notify logical-replication auth-password jit-reason geqo-intro2 gin-intro brin-intro pgtrgm
      release-{15-1 15-2 15-3 15-4 15-5 15-6 15-8}`,
      toUrl: (page) => `https://www.postgresql.org/docs/15/${page}.html`,
      facts: (html) => {
        const publishedDate = toIsoDate(stated(html, /Release date:\s*<\/strong>(\d{4}-\d{2}-\d{2})/));
        return publishedDate === undefined ? {} : { publishedDate, category: "news" };
      },
    },
  ),
  debianSite(
    "rust",
    "The Rust Programming Language",
    "rust-doc",
    "Steve Klabnik, Carol Nichols and the Rust community",
    {
      licence: "MIT OR Apache-2.0",
      directory: "usr/share/doc/rust-doc/html/book",
      pages: `foreword ch00-00-introduction ch01-02-hello-world ch01-03-hello-cargo ch03-01-variables-and-mutability
      ch03-02-data-types ch03-05-control-flow ch04-01-what-is-ownership ch04-02-references-and-borrowing ch04-03-slices
      ch05-01-defining-structs ch05-03-method-syntax ch06-01-defining-an-enum ch06-02-match ch08-01-vectors
      ch08-02-strings ch08-03-hash-maps ch09-01-unrecoverable-errors-with-panic ch09-02-recoverable-errors-with-result
      ch09-03-to-panic-or-not-to-panic ch10-02-traits ch10-03-lifetime-syntax ch11-03-test-organization ch13-01-closures
      ch13-02-iterators ch13-04-performance ch15-01-box ch15-04-rc ch15-05-interior-mutability ch15-06-reference-cycles
      ch16-01-threads ch16-02-message-passing ch16-03-shared-state ch16-04-extensible-concurrency-sync-and-send
      ch17-01-what-is-oo ch17-02-trait-objects ch19-01-unsafe-rust ch19-06-macros appendix-05-editions
      appendix-07-nightly-rust`,
      toUrl: (page) => `https://doc.rust-lang.org/1.63.0/book/${page}.html`,
      // Its title page says so, for the whole book.
      facts: (_, page) => ({ author: page === "foreword" ? undefined : "Steve Klabnik and Carol Nichols" }),
    },
  ),
  debianSite("apache", "Apache HTTP Server 2.4 documentation", "apache2-doc", "The Apache Software Foundation", {
    licence: "Apache-2.0",
    directory: "usr/share/doc/apache2-doc/manual",
    pages: `en/{bind caching configuring content-negotiation custom-error dns-caveats env filter getting-started handler logs
        mpm new_features_2_4 sections stopping urlmapping howto/access howto/auth howto/cgi howto/htaccess howto/http2
        howto/reverse_proxy howto/ssi misc/perf-tuning misc/security_tips rewrite/avoid rewrite/intro ssl/ssl_faq
        ssl/ssl_intro vhosts/name-based}
      fr/{caching getting-started howto/auth howto/htaccess howto/reverse_proxy misc/security_tips ssl/ssl_intro}
      de/{bind content-negotiation custom-error sections stopping} es/{getting-started howto/auth howto/htaccess stopping}
      ja/{content-negotiation howto/auth howto/htaccess stopping} ko/{bind howto/htaccess stopping}`,
    toUrl: (page) => `https://httpd.apache.org/docs/2.4/${page}.html`,
  }),
  debianSite("nodejs", "Node.js 18 documentation", "nodejs-doc", "Node.js contributors", {
    licence: "MIT",
    directory: "usr/share/doc/nodejs/api",
    pages: `async_context cluster console corepack debugger dgram diagnostics_channel domain embedding esm https inspector
      intl modules os path permissions punycode querystring readline report single-executable-applications
      string_decoder synopsis timers tracing wasi worker_threads`,
    toUrl: (page) => `https://nodejs.org/docs/v18.20.4/api/${page}.html`,
  }),
  debianSite("django", "Django 3.2 documentation", "python-django-doc", "Django Software Foundation and contributors", {
    licence: "BSD-3-Clause",
    directory: "usr/share/doc/python-django-doc/html",
    pages: `faq/{general models usage} intro/{overview tutorial01 tutorial04 tutorial05} misc/{api-stability design-philosophies}
      internals/{release-process security} howto/{custom-management-commands writing-migrations }
      topics/{async email logging migrations pagination performance security }
      topics/db/{optimization sql transactions} topics/auth/passwords ref/{csrf clickjacking }
      releases/{1.8.19 1.11.29 2.0.13 2.2.28 3.0.14 3.1.14 3.2.1 3.2.12 3.2.13 3.2.16 3.2.18 3.2.20 3.2.25}`,
    toUrl: (page) => `https://docs.djangoproject.com/en/3.2/${page}/`,
    facts: (html, page) => {
      if (!page.startsWith("releases/")) return {};
      return { publishedDate: toIsoDate(stated(html, /<p><em>(\w+ \d{1,2}, \d{4})<\/em><\/p>/)), category: "news" };
    },
  }),
  debianSite("scikit-learn", "scikit-learn 1.2 user guide", "python-sklearn-doc", "scikit-learn developers", {
    licence: "BSD-3-Clause",
    directory: "usr/share/doc/python-sklearn-doc/html",
    pages: `common_pitfalls modules/{calibration compose density feature_selection
      gaussian_process impute isotonic kernel_ridge lda_qda learning_curve metrics mixture naive_bayes
      neighbors neural_networks_supervised neural_networks_unsupervised outlier_detection partial_dependence
      permutation_importance semi_supervised sgd svm tree}`,
    toUrl: (page) => `https://scikit-learn.org/1.2/${page}.html`,
  }),
];

function debianSite(id: string, name: string, packageName: string, attribution: string, site: HtmlSite): SampleSource {
  return {
    id,
    name,
    licence: site.licence,
    attribution,
    package: packageName,
    kind: "debian",
    read: (root) => readHtmlSite(root, site),
  };
}
