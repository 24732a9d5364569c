def main():
  """a
  return "'" == '"' + """
