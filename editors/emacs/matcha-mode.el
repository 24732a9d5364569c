;;; matcha-mode.el --- Major mode for Matcha programs -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "26.1"))
;; Keywords: languages

;;; Commentary:

;; Highlighting and indentation of `.mt` files, `matcha-format-buffer', and `matcha lsp' for Eglot.

;;; Code:

(defgroup matcha nil "Matcha programs." :group 'languages)

(defcustom matcha-command "matcha"
  "The program: a name that is found in the variable `exec-path', or a path."
  :type 'string)

(defcustom matcha-indent-offset 4
  "Columns of a block."
  :type 'integer
  :safe #'integerp)

(defconst matcha-keywords
  '("from" "import" "def" "return" "lambda" "if" "else" "and" "or" "not"))
(defconst matcha-constants '("True" "False" "None"))
(defconst matcha-types '("int" "float" "bool" "Var" "Tuple" "List" "Table" "Graph"))
(defconst matcha-operators
  '("mk_tuple" "get" "mk_list" "mk_graph" "neighbor" "sources" "labels" "edge_info" "vertex_label" "vertices" "edges" "arcs" "symmetric" "has_edge"
    "apply" "intersect" "diff" "sum" "size" "min" "max" "any" "all" "flatten"
    "range" "sort" "top" "sum_by" "count_by" "min_by" "max_by" "keys" "values" "subgraph" "iterate" "repeat"
    "log" "sqrt"))

(defvar matcha-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "\"" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\\ "." table)
    (dolist (sign '(?+ ?- ?* ?/ ?% ?< ?> ?=))
      (modify-syntax-entry sign "." table))
    table))

(defconst matcha-font-lock-keywords
  `((,(regexp-opt matcha-keywords 'symbols) . font-lock-keyword-face)
    (,(regexp-opt matcha-constants 'symbols) . font-lock-constant-face)
    (,(regexp-opt matcha-types 'symbols) . font-lock-type-face)
    ("\\_<def\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    (,(concat (regexp-opt matcha-operators 'symbols) "\\s-*(") 1 font-lock-builtin-face)
    ("^\\s-*from\\s-+\\([A-Za-z_][A-Za-z_0-9.]*\\)" 1 font-lock-constant-face)))

(defun matcha--indentation ()
  "The column of the current line."
  (save-excursion
    (beginning-of-line)
    (let* ((state (syntax-ppss))
           (open (nth 1 state)))
      (cond
       ((nth 3 state) (current-indentation))
       (open
        (let ((closes (looking-at-p "\\s-*[])]")))
          (goto-char open)
          (+ (current-indentation) (if closes 0 matcha-indent-offset))))
       ;; Back to the end of the code before the line.
       ((progn (forward-comment (- (point))) (bobp)) 0)
       (t
        (let ((colon (eq (char-before) ?:)))
          (matcha--beginning-of-statement)
          (cond ((and colon (looking-at-p "def\\_>")) (+ (current-indentation) matcha-indent-offset))
                ((looking-at-p "return\\_>") (max 0 (- (current-indentation) matcha-indent-offset)))
                (t (current-indentation)))))))))

(defun matcha--beginning-of-statement ()
  "Move to the first word of the statement that ends before point."
  (back-to-indentation)
  (let ((open (nth 1 (syntax-ppss))))
    (while open
      (goto-char open)
      (back-to-indentation)
      (setq open (nth 1 (syntax-ppss)))))
  (back-to-indentation))

(defun matcha-indent-line ()
  "Indent the current line."
  (interactive)
  (let ((column (matcha--indentation)))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

(defun matcha-format-buffer ()
  "Format the buffer with `matcha fmt'.
A program with syntax errors stays as it is."
  (interactive)
  (let ((source (current-buffer))
        (output (generate-new-buffer " *matcha-fmt*")))
    (unwind-protect
        (if (zerop (call-process-region (point-min) (point-max) matcha-command nil (list output nil) nil "fmt" "-q" "-"))
            (replace-buffer-contents output)
          (user-error "The program in %s has errors; see `matcha check'" (buffer-name source)))
      (kill-buffer output))))

;;;###autoload
(define-derived-mode matcha-mode prog-mode "Matcha"
  "Major mode for Matcha programs."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+\\s-*")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'matcha-indent-line)
  (setq-local electric-indent-inhibit t)
  (setq-local font-lock-defaults '(matcha-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mt\\'" . matcha-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs `(matcha-mode . (,matcha-command "lsp"))))

(provide 'matcha-mode)
;;; matcha-mode.el ends here
